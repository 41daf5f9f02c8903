"""Prints the last table of ``make demo``: plans with the model, and plans found without learning.

Arguments: the JSON of ``goalward solve``, then the state files; the JSON of ``goalward plan`` for STATE.pddl
must be in ``STATE.json`` in the current folder.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from statistics import median

from rich.console import Console
from rich.table import Table


def main() -> None:
    """Read the JSON files and print the table."""
    solved = json.loads(Path(sys.argv[1]).read_text())["states"]
    table = Table(title="Steps of the plan, and seconds to find it")
    for heading in ("state", "with the model", "seconds", "plan --anytime, 5 s"):
        table.add_column(heading, justify="left" if heading == "state" else "right")
    ours, theirs = [], []
    for row, path in zip(solved, sys.argv[2:], strict=True):
        other = json.loads(Path(f"{Path(path).stem}.json").read_text())
        seconds = row["search_time"] + row["improve_time"]
        ours.append((row["plan_length"], seconds))
        theirs.append(other.get("plan_length"))
        table.add_row(Path(path).stem, str(row["plan_length"] or "-"), f"{seconds:.2f}", str(theirs[-1] or "-"))
    lengths, others = [steps for steps, _ in ours if steps], [steps for steps in theirs if steps]
    if lengths and others:
        each = f"{median(seconds for _, seconds in ours):.2f}"
        table.add_section()
        table.add_row("median", f"{median(lengths):g}", each, f"{median(others):g}", style="bold")
    Console().print(table)


if __name__ == "__main__":
    main()
