"""``goalward experiment report``, ``export`` and ``import``: an experiment's results for people and other programs."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import Annotated

import typer

from goalward.cli.console import say
from goalward.cli.live import spinner
from goalward.errors import GoalwardError, UsageError
from goalward.experiments.exchange import export_csv, export_lab, export_parquet, import_lab
from goalward.experiments.store import FILE_NAME, Store
from goalward.measures import format_size
from goalward.report import write_report

Folder = Annotated[Path, typer.Argument(metavar="DIR", help="folder of the experiment", show_default=False)]


def report(
    folder: Folder,
    output: Annotated[Path, typer.Option("--output", "-o", help="the page to write")] = Path("report.html"),
    table: Annotated[
        Path | None, typer.Option(metavar="OUT", help="the coverage table as well: a .md, .tex or .csv file")
    ] = None,
) -> None:
    """Write one HTML page with tables and plots of an experiment; it can be opened anywhere, without a network."""
    with Store(folder / FILE_NAME) as store, spinner("writing the report"):
        size = write_report(store, output, table)
    say(f"{output}: {format_size(size)}" + (f"\n{table}: the coverage table" if table else ""))


def export(
    folder: Folder,
    lab: Annotated[
        Path | None, typer.Option(metavar="OUT", help="Downward Lab: a properties file, or a folder for it")
    ] = None,
    parquet: Annotated[Path | None, typer.Option(metavar="OUT", help="one table as Parquet")] = None,
    csv: Annotated[Path | None, typer.Option(metavar="OUT", help="one table as CSV")] = None,
) -> None:
    """Write an experiment's results for other programs."""
    if lab is None and parquet is None and csv is None:
        raise UsageError("say what to write: --lab OUT, --parquet OUT or --csv OUT")
    with Store(folder / FILE_NAME) as store:
        for target, write, what in (
            (lab, export_lab, "run"),
            (parquet, export_parquet, "row"),
            (csv, export_csv, "row"),
        ):
            if target is not None:
                say(f"{target}: {write(store, target)} {what}(s)")


def import_(
    folder: Folder,
    properties: Annotated[
        Path, typer.Argument(help="properties file of Downward Lab, or its folder", show_default=False)
    ],
) -> None:
    """Add other people's results to an experiment, from a properties file of Downward Lab.

    Algorithms become methods. A folder that holds no experiment yet becomes one.
    """
    if not properties.exists():
        raise UsageError(f"{properties}: no such file")
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / FILE_NAME
    is_new = not path.exists()
    try:
        with Store(path, create=is_new) as store:
            found, added = import_lab(store, properties)
    except GoalwardError:
        if is_new:  # a file that cannot be read leaves no empty experiment behind
            path.unlink()
            with contextlib.suppress(OSError):  # a folder that holds other things stays
                folder.rmdir()
        raise
    say(f"{found} run(s) read, {added} of them new")
