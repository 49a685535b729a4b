"""Run Alembic's migrations on the connection that `odt_core.storage.revisions` has opened."""

from alembic import context

from odt_core.storage.tables import Base

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=Base.metadata,
    transactional_ddl=True,
)
with context.begin_transaction():
    context.run_migrations()
