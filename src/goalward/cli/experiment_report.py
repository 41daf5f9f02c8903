"""``goalward experiment report``, ``export`` and ``import``: results of an experiment for people and other programs."""

from __future__ import annotations

import contextlib
from pathlib import Path

from goalward.cli.console import say
from goalward.cli.live import spinner
from goalward.cli.outputs import check_output
from goalward.cli.parameters import FOLDER, FORCE, argument, command, path_flag
from goalward.errors import GoalwardError, UsageError
from goalward.experiments.exchange import export_csv, export_lab, export_parquet, import_lab, properties_file
from goalward.experiments.results_file import export_results, import_results, is_results_file
from goalward.experiments.store import FILE_NAME, Store
from goalward.measures import counted, format_size
from goalward.report import write_report


@command(
    FOLDER,
    path_flag("--output", "-o", help="the page to write  [default: report.html]", default=Path("report.html")),
    path_flag("--table", metavar="OUT", help="the coverage table as well: a .md, .tex or .csv file"),
    FORCE,
)
def report(folder: Path, output: Path, table: Path | None, force: bool) -> None:
    """Write one HTML page with tables and plots of an experiment; it needs no network."""
    check_output(output, [folder / FILE_NAME, table], force=force)
    if table is not None:
        check_output(table, [folder / FILE_NAME], force=force)
    with Store(folder / FILE_NAME) as store, spinner("writing the report"):
        size = write_report(store, output, table)
    say(f"{output}: {format_size(size)}" + (f"\n{table}: the coverage table" if table else ""))


@command(
    FOLDER,
    path_flag("--lab", metavar="OUT", help="Downward Lab: a properties file, or a folder for it"),
    path_flag("--parquet", metavar="OUT", help="one table as Parquet"),
    path_flag("--csv", metavar="OUT", help="one table as CSV"),
    path_flag("--results", metavar="OUT", help="a small JSON file from which import continues the experiment"),
    FORCE,
)
def export(
    folder: Path, lab: Path | None, parquet: Path | None, csv: Path | None, results: Path | None, force: bool
) -> None:
    """Write an experiment's results for other programs, or to continue it elsewhere."""
    if lab is None and parquet is None and csv is None and results is None:
        raise UsageError("choose what to write: --lab OUT, --parquet OUT, --csv OUT or --results OUT")
    with Store(folder / FILE_NAME) as store:
        exports = (
            (lab, export_lab, "run"),
            (parquet, export_parquet, "row"),
            (csv, export_csv, "row"),
            (results, export_results, "result"),
        )
        chosen = [(target, write, what) for target, write, what in exports if target is not None]
        files = [properties_file(target) if write is export_lab else target for target, write, _ in chosen]
        for i, file in enumerate(files):
            file.parent.mkdir(parents=True, exist_ok=True)
            check_output(file, [folder / FILE_NAME, *files[:i]], force=force)
        for target, write, what in chosen:
            say(f"{target}: {counted(write(store, target), what)}")


@command(FOLDER, argument("source", "file of export --results, or properties file of Downward Lab or its folder"))
def import_(folder: Path, source: Path) -> None:
    """Add results to an experiment, from a file of export --results or a properties file of Downward Lab.

    Algorithms of Downward Lab become methods. A folder that holds no experiment yet becomes one.
    """
    if not source.exists():
        raise UsageError(f"{source}: no such file")
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / FILE_NAME
    is_new = not path.exists()
    try:
        with Store(path, create=is_new) as store:
            found, added = (import_results if is_results_file(source) else import_lab)(store, source)
    except GoalwardError:
        if is_new:  # a file that cannot be read leaves no empty experiment behind
            path.unlink()
            with contextlib.suppress(OSError):  # a folder that holds other things stays
                folder.rmdir()
        raise
    say(f"{counted(found, 'run')} read, {added} of them new")
