"""Writes the tables of docs/results/README.md from paper-table.json; the text between them is written by hand.

python docs/results/make_page.py            # after a new paper-table.json
python docs/results/make_page.py --check    # exits with 1 if the page is stale; the tests do the same
"""

from __future__ import annotations

import re
import sys
import tempfile
from pathlib import Path

from goalward.experiments.results_file import import_results
from goalward.experiments.store import FILE_NAME, Store
from goalward.report import Experiment, beside_paper, load

HERE = Path(__file__).resolve().parent
PAGE, RESULTS = HERE / "README.md", HERE / "paper-table.json"
COMPARED = ("n-rsl", "rsl", "fsm", "tsl", "sing", "boot", "bexp", "avi", "hgn", "ff", "fd-ff", "lama")
"""The systems of the main tables."""
_PART = re.compile(r"(<!-- begin: (\w+) -->\n).*?(<!-- end -->)", re.DOTALL)


def page() -> str:
    """The page with renewed tables."""
    with tempfile.TemporaryDirectory() as folder, Store(Path(folder) / FILE_NAME, create=True) as store:
        import_results(store, RESULTS)
        parts = tables(load(store))
    text = PAGE.read_text(encoding="utf-8")
    return _PART.sub(lambda found: f"{found[1]}\n{parts[found[2]]}\n{found[3]}", text)


def tables(experiment: Experiment) -> dict[str, str]:
    """The generated parts of the page by name."""
    run = [method for method in COMPARED if method in experiment.methods]
    common = beside_paper.on_common_states(experiment, run)
    missing = [method for method in COMPARED if method not in run]
    waiting = f" **No results yet: {', '.join(missing)}.**" if missing else ""
    return {
        "effort": f"{beside_paper.effort(experiment)}{waiting}\n",
        "moderate": beside_paper.coverage_table(common, "moderate"),
        "hard": beside_paper.coverage_table(common, "hard"),
        "training": beside_paper.training_table(experiment),
        "pairs": beside_paper.pairs_table(common, "n-rsl"),
        "speed": beside_paper.speed_table(experiment),
        "instances": beside_paper.instances_table(common),
    }


if __name__ == "__main__":
    if "--check" in sys.argv:
        sys.exit(page() != PAGE.read_text(encoding="utf-8"))
    PAGE.write_text(page(), encoding="utf-8")
    print(f"{PAGE.name} written")
