"""Certificates for a Dask cluster, so that only machines of the cluster can connect to it.

One authority signs one certificate, which all machines of the cluster use. Anyone who has the
folder can join the cluster: copy it safely to the cluster's machines, and nowhere else.
"""

from __future__ import annotations

import os
from datetime import UTC, datetime, timedelta
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from odt_core.errors import InputError

AUTHORITY, CERTIFICATE, KEY = "ca.pem", "node.pem", "node-key.pem"
VALID_FOR = timedelta(days=365 * 2)
CLOCKS_DIFFER = timedelta(hours=1)
"""The certificates are valid from this long before they are made: the machines' clocks differ."""


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
