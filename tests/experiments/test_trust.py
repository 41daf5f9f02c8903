"""Who may talk to the scheduler of an experiment: those who hold the key that was made for the run, and nobody else."""

from __future__ import annotations

import contextlib
import socket
import ssl
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from goalward.experiments import clusters

pytest.importorskip("distributed")


@pytest.fixture(scope="module")
def address() -> tuple[str, int]:
    with clusters.local_cluster(0) as workers:
        parts = urlsplit(workers.client.scheduler.address)
        assert parts.scheme == "tls"
        assert parts.hostname == "127.0.0.1", "other machines need not reach it"
        yield parts.hostname, parts.port


def answer(stream: socket.socket) -> bytes:
    stream.settimeout(10)
    with contextlib.suppress(OSError):  # the other side may hang up before everything is said
        stream.sendall(b"\x00" * 64)
    try:
        return stream.recv(100)
    except OSError:
        return b""


def test_the_scheduler_says_nothing_to_those_who_do_not_encrypt(address: tuple[str, int]) -> None:
    with socket.create_connection(address) as stream:
        assert answer(stream)[:1] in (b"", b"\x15"), "an alert of TLS at most"


def test_the_scheduler_says_nothing_to_those_without_the_key(address: tuple[str, int]) -> None:
    anybody = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    anybody.check_hostname, anybody.verify_mode = False, ssl.CERT_NONE
    with socket.create_connection(address) as stream, contextlib.suppress(ssl.SSLError):
        stream.settimeout(10)
        with anybody.wrap_socket(stream) as encrypted:
            assert answer(encrypted) == b""


def test_the_scheduler_says_nothing_to_those_with_another_key(address: tuple[str, int], tmp_path: Path) -> None:
    theirs = clusters._made_for_this_run().get_tls_config_for_role("client")
    for name in ("cert", "key"):
        (tmp_path / name).write_text(theirs[name])
    other = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    other.check_hostname, other.verify_mode = False, ssl.CERT_NONE
    other.load_cert_chain(tmp_path / "cert", tmp_path / "key")
    with socket.create_connection(address) as stream, contextlib.suppress(ssl.SSLError):
        stream.settimeout(10)
        with other.wrap_socket(stream) as encrypted:
            assert answer(encrypted) == b""
