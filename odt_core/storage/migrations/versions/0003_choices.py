"""Choices: an owner's latest settings for a data set's columns and rows."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """Add the choices to the table of data sets, so that they are deleted with a data set."""
    op.add_column("datasets", sa.Column("choices", sa.JSON(none_as_null=True), nullable=True))
