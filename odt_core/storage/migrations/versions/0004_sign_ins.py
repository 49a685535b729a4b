"""Sign-ins: the browsers in which somebody is signed in."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    """Add a table for sign-ins. It refers to no owner: a sign-in ends, and the data stay."""
    op.create_table(
        "sign_ins",
        sa.Column("token", sa.String(64), primary_key=True),
        sa.Column("identity", sa.String(64), nullable=False),
        sa.Column("ends_at", sa.DateTime(timezone=True), nullable=False, index=True),
    )
