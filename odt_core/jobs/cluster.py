"""Workers on other machines: the same specifications on a Dask cluster.

The scheduler decides which machine runs a job. If that machine is lost, the job starts again on
another one. A job fails only if its machines are lost several times.

One authority signs one certificate, which all machines of the cluster use, so that no other machine
can connect. Anyone who has the folder with it can join the cluster: copy it safely to the cluster's
machines, and nowhere else.
"""

from __future__ import annotations

import asyncio
import logging
import os
import queue
import threading
import time
import uuid
import warnings
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from distributed import Client, Future, KilledWorker, Security
from distributed.comm import connect

from odt_core.errors import InputError
from odt_core.jobs.cluster_worker import OdtWorkers, bytes_here, kill_here, run_here, stop_here
from odt_core.jobs.pool import Listener, WorkerLoss

LOOK_EVERY = 1.0
"""Seconds between two checks of how many workers the cluster has."""
RECONNECT_EVERY = 5.0
CONNECT_WITHIN = "5s"
MOST_DATASETS = 8
"""At most this many data sets stay with the scheduler."""
SCHEDULER_LOST = "the Dask scheduler was lost"
TAKEN_OFF = "taken off the cluster"

AUTHORITY, CERTIFICATE, KEY = "ca.pem", "node.pem", "node-key.pem"
VALID_FOR = timedelta(days=365 * 2)
CLOCKS_DIFFER = timedelta(hours=1)
"""The certificates are valid from this time before now, because the machines' clocks differ."""

log = logging.getLogger("odt_core.jobs.cluster")


@dataclass
class _Task:
    """A job on the cluster. `attempt` names the attempt whose messages count."""

    future: Future | None = None
    attempt: str = ""


class DaskPool:
    """The workers of a Dask cluster (an `odt_core.jobs.pool.Pool`).

    Parameters
    ----------
    address : str
        Address of the scheduler, like ``tls://host:8786``.
    certificates : Path, optional
        The folder that the command ``cluster-certificates`` made. ``tls://`` needs it.
    trusted : bool
        Whether the network is trusted: nobody else can reach the scheduler or read the traffic.
        In any other network, a scheduler on another machine must use TLS.

    Attributes
    ----------
    problem : str
        Why the cluster cannot be used, in a sentence for the user; empty if all is well.

    Raises
    ------
    InputError
        If the address is not valid or not protected, or a certificate is missing.
    """

    def __init__(
        self, address: str, certificates: Path | None = None, *, trusted: bool = False
    ) -> None:
        self.problem = ""
        self._security = check_address(address, certificates, trusted)
        self._address = address
        self._topic = f"odt-{uuid.uuid4().hex}"
        self._client: Client | None = None
        self._slots = 0
        self._lock = threading.Lock()
        self._tasks: dict[str, _Task] = {}
        self._datasets: dict[str, Future] = {}
        self._news: queue.Queue[tuple[str, Any]] = queue.Queue()
        self._orders = ThreadPoolExecutor(max_workers=1, thread_name_prefix="odt-dask-orders")
        self._closed = threading.Event()

    def start(self, listener: Listener) -> None:
        """Connect to the scheduler, and try again until that succeeds."""
        self._listener = listener
        for target in (self._watch_connection, self._handle_news):
            threading.Thread(target=target, daemon=True, name="odt-dask").start()

    def n_free(self) -> int:
        """Count the cluster's free threads: all threads minus the jobs that were handed out."""
        with self._lock:
            return max(self._slots - len(self._tasks), 0) if self._is_connected() else 0

    def run(self, job: str, spec: dict[str, Any], path: Path, hurry: bool = False) -> bool:
        """Hand a job to the scheduler; false if the cluster is not connected or is full."""
        with self._lock:
            if not self._is_connected() or len(self._tasks) >= self._slots:
                return False
            self._tasks[job] = _Task()
        self._orders.submit(self._send, job, spec, path, hurry)
        return True

    def _is_connected(self) -> bool:
        return self._client is not None and self._client.status == "running"

    def stop(self, job: str) -> None:
        """Ask a job to end and return its best tree."""
        self._orders.submit(self._ask_all, stop_here, job)

    def kill(self, job: str) -> None:
        """End a job's worker. A job without a worker is taken off the scheduler."""
        with self._lock:
            if job not in self._tasks:
                return
        self._orders.submit(self._kill, job)

    def close(self) -> None:
        """Take this server's jobs off the cluster. The cluster itself keeps running."""
        self._closed.set()
        with self._lock:
            jobs = list(self._tasks)
        for job in jobs:
            self.kill(job)
        self._orders.shutdown(wait=True)
        self._news.put(("", None))
        self._disconnect()

    # ---- orders: one thread carries them out, one after the other ----

    def _send(self, job: str, spec: dict[str, Any], path: Path, hurry: bool) -> None:
        client = self._client
        if client is None:
            self._news.put((job, WorkerLoss(SCHEDULER_LOST, begun=False)))
            return
        try:
            content = self._dataset(client, str(spec["dataset"]), path)
            future = client.submit(
                run_here,
                job,
                spec,
                content,
                hurry,
                self._topic,
                key=f"odt-run-{job}",
                pure=False,
            )
        except OSError as error:
            self._news.put((job, WorkerLoss(f"the cluster did not take it: {error}")))
            return
        with self._lock:
            task = self._tasks.get(job)
            if task is None:
                future.cancel()
                return
            task.future = future
        future.add_done_callback(lambda done: self._news.put((job, done)))

    def _dataset(self, client: Client, sha256: str, path: Path) -> Future:
        """Put a data set on the cluster, as a task, so that it survives the loss of machines."""
        future = self._datasets.pop(sha256, None)
        if future is None or future.status in ("cancelled", "lost", "error"):
            with warnings.catch_warnings():
                warnings.filterwarnings("ignore", "Sending large graph")
                future = client.submit(
                    bytes_here, path.read_bytes(), key=f"odt-data-{sha256}", pure=True
                )
        self._datasets[sha256] = future
        while len(self._datasets) > MOST_DATASETS:
            self._datasets.pop(next(iter(self._datasets)))
        return future

    def _ask_all(self, ask: Any, job: str) -> bool:
        """Call a function on all Dask workers; return whether one of them has the job."""
        client = self._client
        if client is None:
            return False
        try:
            answers = client.run(ask, job, on_error="ignore")
        except (OSError, ValueError) as error:
            log.warning("the cluster does not answer: %s", error)
            return False
        return any(answer is True for answer in answers.values())

    def _kill(self, job: str) -> None:
        if self._ask_all(kill_here, job) and not self._closed.is_set():
            return
        with self._lock:
            task = self._tasks.get(job)
        if task is not None:
            if task.future is not None:
                with suppress(OSError):
                    task.future.cancel()
            self._news.put((job, WorkerLoss(TAKEN_OFF)))

    # ---- messages: a thread of their own handles them, because Dask's threads must not wait ----

    def _on_event(self, event: tuple[float, Any]) -> None:
        message = event[1]
        if isinstance(message, dict) and "job" in message:
            self._news.put((message["job"], message))

    def _handle_news(self) -> None:
        while True:
            job, news = self._news.get()
            if not job and self._closed.is_set():
                return
            try:
                self._handle(job, news)
            except (ValueError, KeyError, TypeError):
                log.exception("a message from the cluster cannot be understood")
                self.kill(job)

    def _handle(self, job: str, news: Any) -> None:
        with self._lock:
            task = self._tasks.get(job)
        if task is None:
            return
        if isinstance(news, dict):
            self._handle_message(job, task, news)
            return
        with self._lock:
            self._tasks.pop(job, None)
        if isinstance(news, WorkerLoss):
            self._listener.on_lost(job, news)
        elif news.status == "cancelled":  # Dask also ends futures so without a scheduler
            self._listener.on_lost(job, WorkerLoss(TAKEN_OFF, begun=bool(task.attempt)))
        else:
            self._end(job, _last_message(news))
        self._listener.on_free()

    def _handle_message(self, job: str, task: _Task, message: dict[str, Any]) -> None:
        attempt = message.pop("attempt")
        if message["type"] == "start":
            began_before, task.attempt = bool(task.attempt), attempt
            if began_before:
                self._listener.on_restart(job)
        elif attempt == task.attempt:
            self._listener.on_message(job, message)

    def _end(self, job: str, last: dict[str, Any]) -> None:
        if last["type"] == "lost":
            self._listener.on_lost(job, WorkerLoss(last["how"], last["memory_limit"]))
        else:
            self._listener.on_message(job, last)

    # ---- the connection ----

    def _watch_connection(self) -> None:
        while not self._closed.is_set():
            client = self._client
            try:
                if client is None:
                    client = self._connect()
                elif not self._is_connected():
                    raise OSError("the connection was lost")
                slots = sum(client.nthreads().values())
            except (OSError, ValueError) as error:
                self._note_lost(error)
                self._closed.wait(RECONNECT_EVERY)
                continue
            self.problem = "" if slots else f"The Dask cluster at {self._address} has no workers."
            grown, self._slots = slots > self._slots, slots
            if grown:
                self._listener.on_free()
            self._closed.wait(LOOK_EVERY)

    def _connect(self) -> Client:
        # If a Client cannot connect, the next one may hang. So check the connection first.
        check_scheduler(self._address, self._security)
        client = Client(
            self._address,
            security=self._security,
            timeout=CONNECT_WITHIN,
            set_as_default=False,
            name="odt",
        )
        client.register_plugin(OdtWorkers())
        client.subscribe_topic(self._topic, self._on_event)
        self._client = client
        return client

    def _note_lost(self, error: Exception) -> None:
        """Note that the scheduler is away: running jobs are lost, waiting jobs go on waiting."""
        reason = " ".join(str(error).split())[:200] or type(error).__name__
        self.problem = (
            f"The Dask scheduler {self._address} cannot be reached ({reason}): start it, or leave "
            "ODT_DASK_SCHEDULER out to run on this machine."
        )
        log.warning("%s", self.problem)
        self._slots = 0
        self._disconnect()
        with self._lock:
            lost = [(job, bool(task.attempt)) for job, task in self._tasks.items()]
        for job, begun in lost:
            self._news.put((job, WorkerLoss(SCHEDULER_LOST, begun=begun)))

    def _disconnect(self) -> None:
        client, self._client = self._client, None
        self._datasets.clear()
        if client is not None:
            began = time.monotonic()
            with suppress(OSError, ValueError, RuntimeError):
                client.close(timeout=2)
            log.debug("disconnected after %.1f s", time.monotonic() - began)


def pool_from_environment(address: str) -> DaskPool:
    """Connect to the cluster that ``ODT_DASK_SCHEDULER`` names, with the settings for it.

    Raises
    ------
    InputError
        See `DaskPool`.
    """
    folder = os.environ.get("ODT_DASK_CERTIFICATES", "").strip()
    trusted = os.environ.get("ODT_DASK_TRUSTED_NETWORK", "").strip()
    if trusted not in ("", "0", "1"):
        raise InputError(f"ODT_DASK_TRUSTED_NETWORK is {trusted!r}: give 1, or leave it out.")
    return DaskPool(address, Path(folder) if folder else None, trusted=trusted == "1")


def check_scheduler(address: str, security: Security) -> None:
    """Connect to a scheduler and disconnect again.

    Raises
    ------
    OSError
        If it cannot be reached, or one side does not accept the other's certificate.
    """

    async def visit() -> None:
        options = security.get_connection_args("client")
        comm = await connect(address, timeout=CONNECT_WITHIN, **options)
        await comm.close()

    asyncio.run(visit())


def check_address(address: str, certificates: Path | None, trusted: bool) -> Security:
    """Choose the protection of the connection to a scheduler; see `DaskPool` for the rules."""
    parts = urlsplit(address)
    if parts.scheme == "tls":
        return _tls(certificates)
    if parts.scheme != "tcp" or not parts.hostname:
        raise InputError(
            f"ODT_DASK_SCHEDULER is {address!r}: give an address such as tls://host:8786."
        )
    if not trusted and parts.hostname not in ("localhost", "127.0.0.1", "::1"):
        raise InputError(
            f"The Dask scheduler {address} is on another machine and uses no TLS, so everybody on "
            "the network could read the data and run programs: start it with TLS (see "
            "docs/cluster.md), or set ODT_DASK_TRUSTED_NETWORK=1 if nobody else is on the network."
        )
    return Security()


def _tls(certificates: Path | None) -> Security:
    if certificates is None:
        raise InputError(
            "The Dask scheduler uses TLS: name the folder with the certificates in "
            "ODT_DASK_CERTIFICATES (python -m odt_core cluster-certificates makes one)."
        )
    missing = [n for n in (AUTHORITY, CERTIFICATE, KEY) if not (certificates / n).is_file()]
    if missing:
        raise InputError(
            f"ODT_DASK_CERTIFICATES: the folder {str(certificates)!r} has no file {missing[0]}: "
            "name the folder that python -m odt_core cluster-certificates made."
        )
    return Security(
        require_encryption=True,
        tls_ca_file=str(certificates / AUTHORITY),
        tls_client_cert=str(certificates / CERTIFICATE),
        tls_client_key=str(certificates / KEY),
    )


def _last_message(future: Future) -> dict[str, Any]:
    """The last message of a task that ended by itself, whether it succeeded or failed."""
    if future.status == "finished":
        found: dict[str, Any] = future.result()
        return found
    error = future.exception()
    if isinstance(error, KilledWorker):
        how = "several machines of the cluster were lost while they ran it"
        return {"type": "lost", "how": how, "memory_limit": None}
    reason = " ".join(f"{type(error).__name__}: {error}".split())[:300]
    return {"type": "error", "message": f"The run failed on the Dask cluster ({reason})."}


def write_certificates(folder: Path) -> None:
    """Write the authority's certificate, and the nodes' certificate and private key.

    The authority's own key is not written, so nobody can sign further certificates.

    Raises
    ------
    InputError
        If the folder holds certificates already, or cannot be written.
    """
    authority_key = ec.generate_private_key(ec.SECP256R1())
    node_key = ec.generate_private_key(ec.SECP256R1())
    authority = _sign("odt cluster authority", None, authority_key, authority_key)
    node = _sign("odt cluster node", authority.subject, node_key, authority_key)
    private = node_key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
    pem = serialization.Encoding.PEM
    files = {
        AUTHORITY: authority.public_bytes(pem),
        CERTIFICATE: node.public_bytes(pem),
        KEY: private,
    }
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        for name, content in files.items():
            handle = os.open(folder / name, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(handle, "wb") as file:
                file.write(content)
    except FileExistsError as error:
        raise InputError(
            f"The folder {str(folder)!r} holds certificates already: name another folder."
        ) from error
    except OSError as error:
        raise InputError(
            f"The folder {str(folder)!r} cannot be written ({error.strerror}): name another one."
        ) from error


def _sign(
    name: str,
    issuer: x509.Name | None,
    key: ec.EllipticCurvePrivateKey,
    signing_key: ec.EllipticCurvePrivateKey,
) -> x509.Certificate:
    """Sign a certificate for a key. Without an issuer, it is the certificate of an authority."""
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    now = datetime.now(UTC)
    builder = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer or subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - CLOCKS_DIFFER)
        .not_valid_after(now + VALID_FOR)
        .add_extension(x509.BasicConstraints(ca=issuer is None, path_length=None), critical=True)
    )
    return builder.sign(signing_key, hashes.SHA256())
