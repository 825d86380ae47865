"""Certificates that a test makes for itself."""

from __future__ import annotations

from pathlib import Path

import pytest

__all__ = ["certificate_files"]


def certificate_files(place: Path) -> tuple[str, str]:
    """Return the files of a certificate that nobody vouches for, and of its key, made in a new directory."""
    x509 = pytest.importorskip("cryptography.x509")
    from datetime import UTC, datetime, timedelta

    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.oid.NameOID.COMMON_NAME, "econome test")])
    begin = datetime(2020, 1, 1, tzinfo=UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(begin)
        .not_valid_after(begin + timedelta(days=36_500))
        .sign(key, hashes.SHA256())
    )
    place.mkdir()
    files = place / "cert.pem", place / "key.pem"
    files[0].write_bytes(made.public_bytes(serialization.Encoding.PEM))
    files[1].write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
    )
    return str(files[0]), str(files[1])
