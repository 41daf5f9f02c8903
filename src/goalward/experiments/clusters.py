"""Workers for units: on this machine, on an existing Dask scheduler, or in jobs of a Slurm cluster.

Whoever can connect to a Dask scheduler can run code in the scheduler, its workers and its clients. So schedulers that
are started here use TLS, and accept only connections with a key that is created for this one run.
"""

from __future__ import annotations

import contextlib
import getpass
import logging
import os
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from goalward.errors import GoalwardError, UsageError
from goalward.experiments.config import Config

if TYPE_CHECKING:
    from distributed import Client

CONNECT_SECONDS = 30
SLURM_RESTART_SECONDS = 60.0
"""Interval at which Slurm is asked for the list of jobs; administrators object to a shorter one."""

# Dask only hands out work. Its own profiling would take time that counts against the limits of units.
SETTINGS: dict[str, Any] = {
    "distributed.scheduler.allowed-failures": 0,  # the runner counts and decides
    "distributed.scheduler.work-stealing": False,
    "distributed.worker.profile.enabled": False,
    "distributed.worker.preload": ["goalward.experiments.worker_setup"],
    "distributed.admin.system-monitor.gil.enabled": False,
    # Dask's web pages would show units, files and machines to everybody who can reach the port.
    "distributed.scheduler.http.routes": [],
    "distributed.worker.http.routes": [],
}
BUSY_START = "30m"
"""Time that parts of a cluster on this machine have to find one another: at a low priority they start slowly."""
NO_PAGES = {"dashboard": False, "dashboard_address": "127.0.0.1:0"}  # a free port, because there may be other clusters


@dataclass(frozen=True)
class Workers:
    """A connection to workers.

    ``wanted`` is the number of workers that there should be, if it is known. While there are fewer, the runner calls
    ``restart_lost`` every ``restart_seconds``.
    """

    client: Client
    wanted: int | None = None
    restart_lost: Callable[[], None] = lambda: None
    restart_seconds: float = 5.0
    own_scheduler: bool = True

    def threads(self) -> int:
        """Number of units that can run at the same time."""
        return sum(self.client.nthreads().values())

    def failures_allowed(self) -> int:
        """How many times the scheduler moves a unit of a lost worker to another worker before it reports the loss."""
        if self.own_scheduler:
            return int(SETTINGS["distributed.scheduler.allowed-failures"])
        return int(self.client.run_on_scheduler(_failures_allowed))


def cores() -> int:
    """Number of cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _new_keys() -> Any:
    """A key and a certificate for this run, in memory only, for the scheduler, the workers and the client."""
    from distributed.security import Security  # noqa: PLC0415

    try:
        return Security.temporary()
    except ImportError:
        raise UsageError("running experiments needs cryptography: pip install 'goalward[experiments]'") from None


@contextlib.contextmanager
def local_cluster(jobs: int) -> Iterator[Workers]:
    """Start worker processes on this machine; each of them runs one unit at a time."""
    dask = _import_dask()
    from distributed import Client, LocalCluster, Status  # noqa: PLC0415

    async def forget_dead() -> None:
        for name, nanny in list(cluster.workers.items()):
            if nanny.status in {Status.closed, Status.failed}:
                del cluster.workers[name]

    def restart_lost() -> None:
        cluster.sync(forget_dead)
        cluster.scale(jobs)

    with (
        dask.config.set(SETTINGS | {"distributed.comm.timeouts.connect": BUSY_START}),
        LocalCluster(
            n_workers=0,  # started by ``scale`` below, so that a worker that dies at its start does not end the cluster
            threads_per_worker=1,
            processes=True,
            memory_limit=0,  # units have their own limits
            scheduler_kwargs=NO_PAGES,
            host="127.0.0.1",
            protocol="tls://",
            security=_new_keys(),  # other users of this machine can reach the address, too
            silence_logs=logging.CRITICAL,
        ) as cluster,
        Client(cluster) as client,
    ):
        cluster.scale(jobs)
        yield Workers(client, jobs, restart_lost)


@contextlib.contextmanager
def existing_cluster(address: str) -> Iterator[Workers]:
    """Connect to the workers of an existing scheduler.

    For an address ``tls://``, keys come from Dask's own configuration (``distributed.comm.tls``).
    """
    _import_dask()
    from distributed import Client  # noqa: PLC0415

    _quiet()
    try:
        client = Client(address, timeout=CONNECT_SECONDS, set_as_default=False)
    except (OSError, ValueError) as error:
        raise UsageError(f"there is no Dask scheduler at {address} ({str(error) or type(error).__name__})") from None
    with client:
        yield Workers(client, own_scheduler=False)


@contextlib.contextmanager
def slurm_cluster(config: Config, jobs: int, logs: Path) -> Iterator[Workers]:
    """Start workers in Slurm jobs, with the scheduler in this process."""
    dask = _import_dask()
    cluster_class, _ = _import_slurm()
    from distributed import Client  # noqa: PLC0415

    _check_slurm(submit_script(config, logs))
    logs.mkdir(parents=True, exist_ok=True)
    keys = logs / "keys"  # only for this user's workers, which may be on other machines
    keys.mkdir(mode=0o700, exist_ok=True)
    keys.chmod(0o700)
    options = _slurm_options(config, logs)
    interface = options.pop("interface")
    scheduler_options: dict[str, Any] = dict(NO_PAGES)
    if interface is not None:
        options["interface"] = interface
        scheduler_options["interface"] = interface
    else:  # listen only on the address that workers are given
        from distributed.utils import get_ip  # noqa: PLC0415

        scheduler_options["host"] = get_ip()

    async def forget(names: set[str]) -> None:
        for name in names & cluster.workers.keys():
            del cluster.workers[name]

    def restart_lost() -> None:
        # Dask forgets a job when its worker disconnects, but not a job that ended before its worker connected or that
        # Slurm never accepted.
        submitted = {name: job.job_id for name, job in list(cluster.workers.items())}
        alive = _slurm_jobs()
        connected = {worker["name"] for worker in client.scheduler_info()["workers"].values()}
        ended = {name for name, job in submitted.items() if job is None or (alive is not None and job not in alive)}
        cluster.sync(forget, ended - connected)
        cluster.scale(jobs=jobs)  # submits new jobs for the forgotten ones

    with (
        # A lost worker does not come back. Waiting for it might end the job that replaces it.
        dask.config.set(SETTINGS | {"distributed.deploy.lost-worker-timeout": "1s"}),
        cluster_class(
            **options,
            scheduler_options=scheduler_options,
            protocol="tls://",
            security=_new_keys(),
            shared_temp_directory=str(keys),
        ) as cluster,
        Client(cluster) as client,
    ):
        _quiet()
        cluster.scale(jobs=jobs)
        yield Workers(client, jobs, restart_lost, SLURM_RESTART_SECONDS)


def _check_slurm(script: str) -> None:
    """Ask Slurm whether it would accept a job; UsageError if not, for example because of a wrong queue or account."""
    with tempfile.NamedTemporaryFile("w", suffix=".sh", encoding="utf-8") as file:
        file.write(script)
        file.flush()
        try:
            asked = subprocess.run(["sbatch", "--test-only", file.name], capture_output=True, text=True, check=False)
        except OSError:
            raise UsageError("--slurm needs a machine that can submit jobs: there is no sbatch here") from None
    if asked.returncode != 0:
        reply = asked.stderr.strip() or asked.stdout.strip() or f"exit code {asked.returncode}"
        raise UsageError(f"Slurm would not accept the jobs: {' '.join(reply.split())} (--dry-run shows their script)")


def _slurm_jobs() -> set[str] | None:
    """The ids of the user's waiting and running jobs; None if Slurm does not answer."""
    command = ["squeue", "--noheader", "--format=%A", f"--user={getpass.getuser()}"]
    try:
        listed = subprocess.run(command, capture_output=True, text=True, check=False)
    except OSError:
        return None
    return set(listed.stdout.split()) if listed.returncode == 0 else None


def submit_script(config: Config, logs: Path) -> str:
    """The script that ``sbatch`` is given for one worker."""
    dask = _import_dask()
    _, job_class = _import_slurm()
    # Creating the job object creates its folder of logs. The script is only shown, so that is a temporary folder.
    with tempfile.TemporaryDirectory() as folder, dask.config.set(SETTINGS):
        options = _slurm_options(config, Path(folder))
        job = job_class(scheduler="tcp://SCHEDULER:PORT", name="goalward", config_name="slurm", **options)
        return str(job.job_script()).replace(folder, str(logs))


def _slurm_options(config: Config, logs: Path) -> dict[str, Any]:
    slurm = config.slurm
    # 1 GiB more than a unit, for the worker and for the process that starts.
    memory = slurm.memory or f"{config.budgets.memory // 2**20 + 1024} MiB"
    return {
        "cores": 1,
        "processes": 1,
        "memory": memory,
        "queue": slurm.queue,
        "account": slurm.account,
        "walltime": slurm.walltime,
        "interface": slurm.interface,
        "job_name": f"goalward-{config.name}",
        "log_directory": str(logs),
        "job_extra_directives": list(slurm.directives),
        "job_script_prologue": list(slurm.prologue),
        "worker_extra_args": ["--no-dashboard", "--memory-limit", "0"],
    }


def _failures_allowed(dask_scheduler: Any) -> int:
    return int(dask_scheduler.allowed_failures)


def _import_dask() -> Any:
    try:
        import dask  # noqa: PLC0415
        import distributed  # noqa: F401, PLC0415
    except ImportError:
        raise UsageError("running experiments needs Dask: pip install 'goalward[experiments]'") from None
    return dask


def _import_slurm() -> tuple[Any, Any]:
    try:
        from dask_jobqueue.slurm import SLURMCluster, SLURMJob  # noqa: PLC0415
    except ImportError:
        raise UsageError("--slurm needs dask-jobqueue: pip install 'goalward[cluster]'") from None
    return SLURMCluster, SLURMJob


def _quiet() -> None:
    """Silence Dask's log; the runner reports what matters."""
    logging.getLogger("distributed").setLevel(logging.CRITICAL)


class SchedulerLostError(GoalwardError):
    """The connection to the scheduler is lost, and with it all running units."""

    def __init__(self) -> None:
        super().__init__("the Dask scheduler is gone; results so far are kept, run the same command again to resume")
