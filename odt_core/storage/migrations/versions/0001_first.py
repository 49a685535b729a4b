"""The first tables: owners, data sets, runs, servers."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None

NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
MOMENT = sa.DateTime(timezone=True)


def upgrade() -> None:
    """Make the first tables."""
    _make_owners_and_data()
    _make_runs()
    _make_servers()


def _make_owners_and_data() -> None:
    op.create_table(
        "owners",
        sa.Column("subject", sa.String(length=255), nullable=False),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.Column("retention_days", sa.Integer(), nullable=True),
        sa.PrimaryKeyConstraint("subject", name=op.f("pk_owners")),
    )
    op.create_table(
        "blobs",
        sa.Column("number", NUMBER, autoincrement=True, nullable=False),
        sa.Column("sha256", sa.String(length=64), nullable=False),
        sa.Column("size", sa.BigInteger(), nullable=False),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.PrimaryKeyConstraint("number", name=op.f("pk_blobs")),
        sa.UniqueConstraint("sha256", name=op.f("uq_blobs_sha256")),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "chunks",
        sa.Column("blob", NUMBER, autoincrement=False, nullable=False),
        sa.Column("position", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("content", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("blob", "position", name=op.f("pk_chunks")),
    )
    op.create_table(
        "datasets",
        sa.Column("owner", sa.String(length=255), nullable=False),
        sa.Column("sha256", sa.String(length=64), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("size", sa.BigInteger(), nullable=False),
        sa.Column("stored", sa.Boolean(), nullable=False),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.Column("used_at", MOMENT, nullable=False),
        sa.ForeignKeyConstraint(
            ["owner"], ["owners.subject"], name=op.f("fk_datasets_owner"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("owner", "sha256", name=op.f("pk_datasets")),
    )
    op.create_index(op.f("ix_datasets_sha256"), "datasets", ["sha256"])


def _make_runs() -> None:
    op.create_table(
        "runs",
        sa.Column("seq", NUMBER, autoincrement=True, nullable=False),
        sa.Column("id", sa.String(length=64), nullable=False),
        sa.Column("owner", sa.String(length=255), nullable=False),
        sa.Column("dataset", sa.String(length=64), nullable=False),
        sa.Column("lane", sa.String(length=255), nullable=False),
        sa.Column("kind", sa.String(length=40), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("note", sa.Text(), nullable=False),
        sa.Column("table_name", sa.Text(), nullable=False),
        sa.Column("searched", sa.Text(), nullable=False),
        sa.Column("rerun_of", sa.String(length=64), nullable=True),
        sa.Column("target", sa.Text(), nullable=False),
        sa.Column("positive", sa.Text(), nullable=False),
        sa.Column("topology", sa.Text(), nullable=False),
        sa.Column("goal", sa.Text(), nullable=False),
        sa.Column("engine", sa.Text(), nullable=False),
        sa.Column("max_card", sa.Integer(), nullable=True),
        sa.Column("seed", sa.BigInteger(), nullable=False),
        sa.Column("status", sa.String(length=20), nullable=False),
        sa.Column("stage", sa.String(length=40), nullable=False),
        sa.Column("message", sa.Text(), nullable=False),
        sa.Column("server", sa.String(length=64), nullable=True),
        sa.Column("queued_at", MOMENT, nullable=False),
        sa.Column("started_at", MOMENT, nullable=True),
        sa.Column("improved_at", MOMENT, nullable=True),
        sa.Column("cancel_at", MOMENT, nullable=True),
        sa.Column("ended_at", MOMENT, nullable=True),
        sa.Column("progress", sa.JSON(), nullable=True),
        sa.Column("solved", sa.String(length=20), nullable=True),
        sa.Column("errors", sa.BigInteger(), nullable=True),
        sa.Column("objective", sa.Float(), nullable=True),
        sa.Column("bound", sa.Float(), nullable=True),
        sa.Column("n_train", sa.BigInteger(), nullable=True),
        sa.Column("n_test", sa.BigInteger(), nullable=True),
        sa.Column("train_accuracy", sa.Float(), nullable=True),
        sa.Column("train_tpr", sa.Float(), nullable=True),
        sa.Column("train_tnr", sa.Float(), nullable=True),
        sa.Column("test_accuracy", sa.Float(), nullable=True),
        sa.Column("test_tpr", sa.Float(), nullable=True),
        sa.Column("test_tnr", sa.Float(), nullable=True),
        sa.Column("seconds", sa.Float(), nullable=True),
        sa.ForeignKeyConstraint(
            ["owner", "dataset"],
            ["datasets.owner", "datasets.sha256"],
            name=op.f("fk_runs_owner_dataset"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("seq", name=op.f("pk_runs")),
        sa.UniqueConstraint("id", name=op.f("uq_runs_id")),
        sqlite_autoincrement=True,
    )
    op.create_index(op.f("ix_runs_owner_dataset"), "runs", ["owner", "dataset"])
    op.create_index(op.f("ix_runs_owner_lane_started_at"), "runs", ["owner", "lane", "started_at"])
    op.create_index(op.f("ix_runs_owner_started_at"), "runs", ["owner", "started_at"])
    op.create_index(op.f("ix_runs_server_status"), "runs", ["server", "status"])
    op.create_index(op.f("ix_runs_owner_queued_at"), "runs", ["owner", "queued_at"])
    op.create_index(
        op.f("ix_runs_status_owner_lane_seq"),
        "runs",
        ["status", "owner", "lane", "seq"],
    )
    op.create_table(
        "documents",
        sa.Column("run", NUMBER, autoincrement=False, nullable=False),
        sa.Column("spec", sa.JSON(), nullable=False),
        sa.Column("versions", sa.JSON(), nullable=True),
        sa.Column("best", sa.JSON(), nullable=True),
        sa.Column("trace", sa.JSON(), nullable=True),
        sa.Column("result", sa.JSON(), nullable=True),
        sa.Column("model", sa.JSON(), nullable=True),
        sa.ForeignKeyConstraint(
            ["run"], ["runs.seq"], name=op.f("fk_documents_run"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("run", name=op.f("pk_documents")),
    )


def _make_servers() -> None:
    op.create_table(
        "servers",
        sa.Column("id", sa.String(length=64), nullable=False),
        sa.Column("host", sa.String(length=255), nullable=False),
        sa.Column("pid", sa.Integer(), nullable=False),
        sa.Column("started_at", MOMENT, nullable=False),
        sa.Column("seen_at", MOMENT, nullable=False),
        sa.Column("lease_until", MOMENT, nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_servers")),
    )
    op.create_table(
        "erasures",
        sa.Column("id", NUMBER, autoincrement=True, nullable=False),
        sa.Column("asked_at", MOMENT, nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_erasures")),
    )
