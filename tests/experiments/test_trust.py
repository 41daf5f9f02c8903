"""Only holders of the key that was made for a run may talk to its scheduler."""

from __future__ import annotations

import contextlib
import http.client
import socket
import ssl
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from goalward.experiments import clusters

pytest.importorskip("distributed")


Address = tuple[str, int]


@dataclass(frozen=True)
class Ports:
    """Where a cluster listens: the scheduler, everything that takes messages, and Dask's web servers."""

    scheduler: Address
    messages: list[Address]
    pages: list[Address]


@pytest.fixture(scope="module")
def ports() -> Iterator[Ports]:
    with clusters.local_cluster(1) as workers:
        workers.client.wait_for_workers(1, timeout=60)
        found = workers.client.scheduler_info()
        members = found["workers"].values()
        places = [found["address"], *found["workers"], *(member["nanny"] for member in members)]
        parts = [urlsplit(place) for place in places]
        assert {part.scheme for part in parts} == {"tls"}
        addresses = [(str(part.hostname), int(part.port or 0)) for part in parts]
        numbers = [found["services"]["dashboard"], *(member["services"]["dashboard"] for member in members)]
        yield Ports(addresses[0], addresses, [("127.0.0.1", number) for number in numbers])


@pytest.fixture
def address(ports: Ports) -> Address:
    return ports.scheduler


def test_nothing_is_reached_under_another_address_of_the_machine(ports: Ports) -> None:
    assert len(ports.messages) == 3, "scheduler, worker and nanny"
    for host, number in [*ports.messages, *ports.pages]:
        assert host == "127.0.0.1"
        with pytest.raises(ConnectionRefusedError):
            socket.create_connection(("127.0.0.2", number), timeout=10)


@pytest.mark.parametrize(
    "path", ["/", "/status", "/health", "/info/main/workers.html", "/json/counts.json", "/metrics"]
)
def test_web_servers_tell_nothing(ports: Ports, path: str) -> None:
    for place in ports.pages:
        connection = http.client.HTTPConnection(*place, timeout=10)
        connection.request("GET", path)
        assert connection.getresponse().status == 404
        connection.close()


def test_nobody_but_the_holder_of_the_key_talks_to_a_worker(ports: Ports) -> None:
    for place in ports.messages:
        with socket.create_connection(place) as stream:
            assert answer(stream)[:1] in (b"", b"\x15"), "an alert of TLS at most"


def answer(stream: socket.socket) -> bytes:
    stream.settimeout(10)
    with contextlib.suppress(OSError):  # the other side may hang up before everything is said
        stream.sendall(b"\x00" * 64)
    try:
        return stream.recv(100)
    except OSError:
        return b""


def test_the_scheduler_says_nothing_to_those_who_do_not_encrypt(address: Address) -> None:
    with socket.create_connection(address) as stream:
        assert answer(stream)[:1] in (b"", b"\x15"), "an alert of TLS at most"


def test_the_scheduler_says_nothing_to_those_without_the_key(address: Address) -> None:
    anybody = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    anybody.check_hostname, anybody.verify_mode = False, ssl.CERT_NONE
    with socket.create_connection(address) as stream, contextlib.suppress(ssl.SSLError):
        stream.settimeout(10)
        with anybody.wrap_socket(stream) as encrypted:
            assert answer(encrypted) == b""


def test_the_scheduler_says_nothing_to_those_with_another_key(address: Address, tmp_path: Path) -> None:
    theirs = clusters._new_keys().get_tls_config_for_role("client")
    for name in ("cert", "key"):
        (tmp_path / name).write_text(theirs[name])
    other = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    other.check_hostname, other.verify_mode = False, ssl.CERT_NONE
    other.load_cert_chain(tmp_path / "cert", tmp_path / "key")
    with socket.create_connection(address) as stream, contextlib.suppress(ssl.SSLError):
        stream.settimeout(10)
        with other.wrap_socket(stream) as encrypted:
            assert answer(encrypted) == b""
