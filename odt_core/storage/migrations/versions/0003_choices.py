"""Choices: what an owner last said of a data set's columns and rows."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """They are kept with the data set, and go with it."""
    op.add_column("datasets", sa.Column("choices", sa.JSON(none_as_null=True), nullable=True))
