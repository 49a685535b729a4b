"""Studies: runs that consist of other runs."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Add the study of a run. A study is a run itself, which no server claims."""
    if op.get_bind().dialect.name == "sqlite":
        # SQLite can add a reference only together with its column.
        op.execute(
            "ALTER TABLE runs ADD COLUMN parent INTEGER "
            "CONSTRAINT fk_runs_parent REFERENCES runs (seq) ON DELETE CASCADE"
        )
    else:
        op.add_column("runs", sa.Column("parent", sa.BigInteger(), nullable=True))
        op.create_foreign_key(
            op.f("fk_runs_parent"), "runs", "runs", ["parent"], ["seq"], ondelete="CASCADE"
        )
    op.add_column(
        "runs", sa.Column("is_study", sa.Boolean(), nullable=False, server_default=sa.false())
    )
    op.create_index(op.f("ix_runs_parent_status"), "runs", ["parent", "status"])
    op.drop_index(op.f("ix_runs_status_owner_lane_seq"), "runs")
    op.create_index(
        op.f("ix_runs_status_is_study_owner_lane_seq"),
        "runs",
        ["status", "is_study", "owner", "lane", "seq"],
    )
