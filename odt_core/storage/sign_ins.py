"""Sign-ins: the browsers in which somebody has signed in and has not signed out."""

from __future__ import annotations

import hashlib
import secrets
from datetime import timedelta

from sqlalchemy import delete, insert, select

from odt_core.storage.database import Database
from odt_core.storage.tables import SignInRow

LONGEST = timedelta(days=30)
"""Age at which a sign-in ends by itself."""


class SignIns:
    """The valid sign-ins of all servers on one database.

    The database holds only digests, so nobody who reads it can use them to sign in.
    """

    def __init__(self, database: Database) -> None:
        self._database = database

    def begin(self, identity: str) -> str:
        """Start a sign-in and return its secret token of 43 characters.

        Parameters
        ----------
        identity : str
            The text that names the person in this browser. The token is valid only with it.

        Raises
        ------
        StorageError
            If the database cannot be written.
        """
        token = secrets.token_urlsafe(32)
        with self._database.write() as connection:
            ends_at = self._database.now(connection) + LONGEST
            connection.execute(
                insert(SignInRow).values(
                    token=_digest(token), identity=_digest(identity), ends_at=ends_at
                )
            )
        return token

    def is_valid(self, token: str, identity: str) -> bool:
        """Whether a sign-in is valid.

        Raises
        ------
        StorageError
            If the database cannot be read.
        """
        with self._database.read() as connection:
            query = select(SignInRow.token).where(
                SignInRow.token == _digest(token),
                SignInRow.identity == _digest(identity),
                SignInRow.ends_at > self._database.now(connection),
            )
            return connection.execute(query).first() is not None

    def end(self, token: str) -> None:
        """End a sign-in, if the token has one.

        Raises
        ------
        StorageError
            If the database cannot be written.
        """
        with self._database.write() as connection:
            connection.execute(delete(SignInRow).where(SignInRow.token == _digest(token)))

    def delete_ended(self) -> None:
        """Delete the sign-ins that have expired."""
        with self._database.write() as connection:
            now = self._database.now(connection)
            connection.execute(delete(SignInRow).where(SignInRow.ends_at <= now))


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
