"""Choices: an owner's latest settings for a data set's columns and rows."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """Add the choices to the data set, so that they are deleted with it."""
    op.add_column("datasets", sa.Column("choices", sa.JSON(none_as_null=True), nullable=True))
