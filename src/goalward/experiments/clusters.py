"""Where units run: on this machine, on a Dask scheduler that is there already, or in jobs of a Slurm cluster.

Whoever may talk to a Dask scheduler may run code in it, in its workers and in its clients. So those that are started
here speak TLS and take nobody who does not hold the key that was made for this one run.
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
SLURM_MEND_SECONDS = 60.0
"""How often Slurm is asked which jobs it still has; its administrators do not like to be asked more often."""

# Dask is here to hand out work; what it measures of itself would cost time that units are charged with.
SETTINGS: dict[str, Any] = {
    "distributed.scheduler.allowed-failures": 0,  # the runner counts and decides
    "distributed.scheduler.work-stealing": False,
    "distributed.worker.profile.enabled": False,
    "distributed.worker.preload": ["goalward.experiments.worker_setup"],
    "distributed.admin.system-monitor.gil.enabled": False,
    # Its web pages name units, files and machines to everybody who reaches the port, which cannot be left closed.
    "distributed.scheduler.http.routes": [],
    "distributed.worker.http.routes": [],
}
NO_PAGES = {"dashboard": False, "dashboard_address": "127.0.0.1:0"}  # any free port: there may be other clusters


@dataclass(frozen=True)
class Workers:
    """A connection to workers.

    Where there should be a certain number of them, ``mend`` brings back lost ones; it is called every ``mend_seconds``
    while some are lacking.
    """

    client: Client
    wanted: int | None = None
    mend: Callable[[], None] = lambda: None
    mend_seconds: float = 5.0
    own_scheduler: bool = True

    def threads(self) -> int:
        """How many units they can run at once."""
        return sum(self.client.nthreads().values())

    def failures_allowed(self) -> int:
        """How often the scheduler itself gives a unit to another worker before it says that workers die of it."""
        if self.own_scheduler:
            return int(SETTINGS["distributed.scheduler.allowed-failures"])
        return int(self.client.run_on_scheduler(_failures_allowed))


def cores() -> int:
    """Cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _made_for_this_run() -> Any:
    """A key and a certificate that exist in memory alone, for the scheduler, the workers and the client."""
    from distributed.security import Security  # noqa: PLC0415

    try:
        return Security.temporary()
    except ImportError:
        raise UsageError("running experiments needs cryptography: pip install 'goalward[experiments]'") from None


@contextlib.contextmanager
def local_cluster(jobs: int) -> Iterator[Workers]:
    """So many worker processes on this machine, for one unit at a time each."""
    dask = _import_dask()
    from distributed import Client, LocalCluster, Status  # noqa: PLC0415

    async def forget_dead() -> None:
        for name, nanny in list(cluster.workers.items()):
            if nanny.status in {Status.closed, Status.failed}:
                del cluster.workers[name]

    def mend() -> None:
        cluster.sync(forget_dead)
        cluster.scale(jobs)

    with (
        dask.config.set(SETTINGS),
        LocalCluster(
            n_workers=0,  # they come with ``mend``: one that dies while it starts must not be the end of all
            threads_per_worker=1,
            processes=True,
            memory_limit=0,  # units have their own limits
            scheduler_kwargs=NO_PAGES,
            host="127.0.0.1",
            protocol="tls://",
            security=_made_for_this_run(),  # other users of this machine reach the address, too
            silence_logs=logging.CRITICAL,
        ) as cluster,
        Client(cluster) as client,
    ):
        cluster.scale(jobs)
        yield Workers(client, jobs, mend)


@contextlib.contextmanager
def existing_cluster(address: str) -> Iterator[Workers]:
    """The workers of a scheduler that somebody has started.

    Keys for one at ``tls://`` come from Dask's own configuration (``distributed.comm.tls``).
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
    """Workers in Slurm jobs, which come and go; the scheduler is in this process."""
    dask = _import_dask()
    cluster_class, _ = _import_slurm()
    from distributed import Client  # noqa: PLC0415

    _check_slurm(submit_script(config, logs))
    logs.mkdir(parents=True, exist_ok=True)
    keys = logs / "keys"  # workers on other machines read them here; nobody else may
    keys.mkdir(mode=0o700, exist_ok=True)
    keys.chmod(0o700)
    options = _slurm_options(config, logs)
    interface = options.pop("interface")
    scheduler_options: dict[str, Any] = dict(NO_PAGES)
    if interface is not None:
        options["interface"] = interface
        scheduler_options["interface"] = interface
    else:  # the address that workers are told anyway, and no other
        from distributed.utils import get_ip  # noqa: PLC0415

        scheduler_options["host"] = get_ip()

    async def forget(names: set[str]) -> None:
        for name in names & cluster.workers.keys():
            del cluster.workers[name]

    def mend() -> None:
        # Dask itself forgets a job whose worker has gone; one that ends before it has a worker, or that was never
        # taken, nobody would miss.
        submitted = {name: job.job_id for name, job in list(cluster.workers.items())}
        alive = _slurm_jobs()
        connected = {worker["name"] for worker in client.scheduler_info()["workers"].values()}
        ended = {name for name, job in submitted.items() if job is None or (alive is not None and job not in alive)}
        cluster.sync(forget, ended - connected)
        cluster.scale(jobs=jobs)  # submits again what is forgotten

    with (
        # A worker that is gone does not come back, and waiting for it might end the job that takes its place.
        dask.config.set(SETTINGS | {"distributed.deploy.lost-worker-timeout": "1s"}),
        cluster_class(
            **options,
            scheduler_options=scheduler_options,
            protocol="tls://",
            security=_made_for_this_run(),
            shared_temp_directory=str(keys),
        ) as cluster,
        Client(cluster) as client,
    ):
        _quiet()
        cluster.scale(jobs=jobs)
        yield Workers(client, jobs, mend, SLURM_MEND_SECONDS)


def _check_slurm(script: str) -> None:
    """Ask Slurm whether it would take a job, so that a wrong queue or account is known now and not never."""
    with tempfile.NamedTemporaryFile("w", suffix=".sh", encoding="utf-8") as file:
        file.write(script)
        file.flush()
        try:
            asked = subprocess.run(["sbatch", "--test-only", file.name], capture_output=True, text=True, check=False)
        except OSError:
            raise UsageError("--slurm needs a machine from which jobs are submitted: there is no sbatch here") from None
    if asked.returncode != 0:
        said = asked.stderr.strip() or asked.stdout.strip() or f"exit code {asked.returncode}"
        raise UsageError(f"Slurm would not take the jobs: {' '.join(said.split())} (--dry-run shows their script)")


def _slurm_jobs() -> set[str] | None:
    """The numbers of the user's jobs that wait or run; None where Slurm cannot say."""
    command = ["squeue", "--noheader", "--format=%A", f"--user={getpass.getuser()}"]
    try:
        listed = subprocess.run(command, capture_output=True, text=True, check=False)
    except OSError:
        return None
    return set(listed.stdout.split()) if listed.returncode == 0 else None


def submit_script(config: Config, logs: Path) -> str:
    """What ``sbatch`` would be given for one worker."""
    dask = _import_dask()
    _, job_class = _import_slurm()
    # A job makes its folder of logs when it is described; one that is only shown makes it elsewhere.
    with tempfile.TemporaryDirectory() as folder, dask.config.set(SETTINGS):
        options = _slurm_options(config, Path(folder))
        job = job_class(scheduler="tcp://SCHEDULER:PORT", name="goalward", config_name="slurm", **options)
        return str(job.job_script()).replace(folder, str(logs))


def _slurm_options(config: Config, logs: Path) -> dict[str, Any]:
    slurm = config.slurm
    # The worker itself and the process that is being started need some as well.
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
    """What matters of Dask's log is said by the runner."""
    logging.getLogger("distributed").setLevel(logging.CRITICAL)


class SchedulerLostError(GoalwardError):
    """The scheduler has gone, and the work it had with it."""

    def __init__(self) -> None:
        super().__init__("the Dask scheduler is gone; what is done is kept, run the same command again to go on")
