"""The tables for SQLAlchemy; `migrations` creates them.

Narrow tables (`RunRow`, `DatasetRow`) hold the columns that lists show and sort by. Wide tables
(`DocumentRow`, `ChunkRow`) hold what is opened one at a time. So a list of runs reads no trees.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from sqlalchemy import (
    JSON,
    BigInteger,
    Boolean,
    DateTime,
    Dialect,
    Float,
    ForeignKey,
    ForeignKeyConstraint,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Text,
    TypeDecorator,
    false,
)
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column

NAMING = {
    "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "fk": "fk_%(table_name)s_%(column_0_N_name)s",
    "pk": "pk_%(table_name)s",
}


class Moment(TypeDecorator[datetime]):
    """A time in UTC; Python always gets it with its time zone."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """Convert for the database. SQLite keeps no time zone, so it gets UTC without one."""
        if value is None:
            return None
        utc = value.astimezone(UTC)
        return utc.replace(tzinfo=None) if dialect.name == "sqlite" else utc

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """Convert from the database."""
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


Sequence64 = BigInteger().with_variant(Integer, "sqlite")
"""An automatic number. SQLite numbers only columns of type INTEGER."""
Document = JSON(none_as_null=True)
"""JSON text that keeps the order of keys. (PostgreSQL's jsonb does not, and refuses U+0000.)"""
Key = String(64)
Subject = String(255)


class Base(DeclarativeBase):
    """The base class of all tables."""

    metadata = MetaData(naming_convention=NAMING)


class OwnerRow(Base):
    """A person: ``local``, or the subject from an identity provider."""

    __tablename__ = "owners"

    subject: Mapped[str] = mapped_column(Subject, primary_key=True)
    created_at: Mapped[datetime] = mapped_column(Moment)
    retention_days: Mapped[int | None] = mapped_column(Integer)


class BlobRow(Base):
    """A file's content under its SHA-256, stored once for everybody."""

    __tablename__ = "blobs"

    number: Mapped[int] = mapped_column(Sequence64, primary_key=True, autoincrement=True)
    sha256: Mapped[str] = mapped_column(Key, unique=True)
    size: Mapped[int] = mapped_column(BigInteger)
    created_at: Mapped[datetime] = mapped_column(Moment)

    __table_args__ = ({"sqlite_autoincrement": True},)


class ChunkRow(Base):
    """A piece of a file's content. `erasure` deletes pieces whose blob is gone."""

    __tablename__ = "chunks"

    blob: Mapped[int] = mapped_column(Sequence64, primary_key=True, autoincrement=False)
    position: Mapped[int] = mapped_column(Integer, primary_key=True, autoincrement=False)
    content: Mapped[bytes] = mapped_column(LargeBinary)


class DatasetRow(Base):
    """An owner's data set. `stored` says that the owner uploaded the bytes, not only their hash.

    `choices` holds the owner's latest choices for its columns and rows.
    """

    __tablename__ = "datasets"

    owner: Mapped[str] = mapped_column(
        Subject, ForeignKey("owners.subject", ondelete="CASCADE"), primary_key=True
    )
    sha256: Mapped[str] = mapped_column(Key, primary_key=True, index=True)
    name: Mapped[str] = mapped_column(Text)
    size: Mapped[int] = mapped_column(BigInteger)
    stored: Mapped[bool] = mapped_column(Boolean)
    created_at: Mapped[datetime] = mapped_column(Moment)
    used_at: Mapped[datetime] = mapped_column(Moment)
    choices: Mapped[Any | None] = mapped_column(Document)


class RunRow(Base):
    """A run as lists show it. A study, which consists of runs, is also a row."""

    __tablename__ = "runs"

    seq: Mapped[int] = mapped_column(Sequence64, primary_key=True, autoincrement=True)
    id: Mapped[str] = mapped_column(Key, unique=True)
    owner: Mapped[str] = mapped_column(Subject)
    dataset: Mapped[str] = mapped_column(Key)
    parent: Mapped[int | None] = mapped_column(
        Sequence64, ForeignKey("runs.seq", ondelete="CASCADE")
    )
    is_study: Mapped[bool] = mapped_column(Boolean, server_default=false())
    lane: Mapped[str] = mapped_column(Subject)
    kind: Mapped[str] = mapped_column(String(40))
    name: Mapped[str] = mapped_column(Text)
    note: Mapped[str] = mapped_column(Text)
    table_name: Mapped[str] = mapped_column(Text)
    searched: Mapped[str] = mapped_column(Text)
    rerun_of: Mapped[str | None] = mapped_column(Key)

    target: Mapped[str] = mapped_column(Text)
    positive: Mapped[str] = mapped_column(Text)
    topology: Mapped[str] = mapped_column(Text)
    goal: Mapped[str] = mapped_column(Text)
    engine: Mapped[str] = mapped_column(Text)
    max_card: Mapped[int | None] = mapped_column(Integer)
    seed: Mapped[int] = mapped_column(BigInteger)

    status: Mapped[str] = mapped_column(String(20))
    stage: Mapped[str] = mapped_column(String(40))
    message: Mapped[str] = mapped_column(Text)
    server: Mapped[str | None] = mapped_column(Key)
    queued_at: Mapped[datetime] = mapped_column(Moment)
    started_at: Mapped[datetime | None] = mapped_column(Moment)
    improved_at: Mapped[datetime | None] = mapped_column(Moment)
    cancel_at: Mapped[datetime | None] = mapped_column(Moment)
    ended_at: Mapped[datetime | None] = mapped_column(Moment)
    progress: Mapped[Any | None] = mapped_column(Document)

    solved: Mapped[str | None] = mapped_column(String(20))
    errors: Mapped[int | None] = mapped_column(BigInteger)
    objective: Mapped[float | None] = mapped_column(Float)
    bound: Mapped[float | None] = mapped_column(Float)
    n_train: Mapped[int | None] = mapped_column(BigInteger)
    n_test: Mapped[int | None] = mapped_column(BigInteger)
    train_accuracy: Mapped[float | None] = mapped_column(Float)
    train_tpr: Mapped[float | None] = mapped_column(Float)
    train_tnr: Mapped[float | None] = mapped_column(Float)
    test_accuracy: Mapped[float | None] = mapped_column(Float)
    test_tpr: Mapped[float | None] = mapped_column(Float)
    test_tnr: Mapped[float | None] = mapped_column(Float)
    seconds: Mapped[float | None] = mapped_column(Float)

    __table_args__ = (
        ForeignKeyConstraint(
            ["owner", "dataset"], ["datasets.owner", "datasets.sha256"], ondelete="CASCADE"
        ),
        Index(None, "owner", "queued_at"),
        Index(None, "owner", "dataset"),
        Index(None, "status", "is_study", "owner", "lane", "seq"),
        Index(None, "owner", "lane", "started_at"),
        Index(None, "owner", "started_at"),
        Index(None, "server", "status"),
        Index(None, "parent", "status"),
        {"sqlite_autoincrement": True},
    )


class DocumentRow(Base):
    """The parts of a run that only its own page shows; lists neither show nor sort by them."""

    __tablename__ = "documents"

    run: Mapped[int] = mapped_column(
        Sequence64,
        ForeignKey("runs.seq", ondelete="CASCADE"),
        primary_key=True,
        autoincrement=False,
    )
    spec: Mapped[Any] = mapped_column(Document)
    versions: Mapped[Any | None] = mapped_column(Document)
    best: Mapped[Any | None] = mapped_column(Document)
    trace: Mapped[Any | None] = mapped_column(Document)
    result: Mapped[Any | None] = mapped_column(Document)
    model: Mapped[Any | None] = mapped_column(Document)


class ServerRow(Base):
    """A running server. It keeps its runs until `lease_until`, and moves that time forward."""

    __tablename__ = "servers"

    id: Mapped[str] = mapped_column(Key, primary_key=True)
    host: Mapped[str] = mapped_column(Subject)
    pid: Mapped[int] = mapped_column(Integer)
    started_at: Mapped[datetime] = mapped_column(Moment)
    seen_at: Mapped[datetime] = mapped_column(Moment)
    lease_until: Mapped[datetime] = mapped_column(Moment)


class ErasureRow(Base):
    """A note that something was deleted, and that its space on disk must still be wiped."""

    __tablename__ = "erasures"

    id: Mapped[int] = mapped_column(Sequence64, primary_key=True, autoincrement=True)
    asked_at: Mapped[datetime] = mapped_column(Moment)


class SignInRow(Base):
    """A browser in which somebody has signed in, until they sign out.

    `token` is the SHA-256 of the browser's secret. `identity` is the SHA-256 of the cookie that
    names the person.
    """

    __tablename__ = "sign_ins"

    token: Mapped[str] = mapped_column(Key, primary_key=True)
    identity: Mapped[str] = mapped_column(Key)
    ends_at: Mapped[datetime] = mapped_column(Moment, index=True)
