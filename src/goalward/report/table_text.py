"""The coverage table as LaTeX, Markdown or CSV, for a paper, a README or a spreadsheet."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from goalward.errors import UsageError
from goalward.measures import format_duration
from goalward.outward import csv_text
from goalward.report.coverage import average, cells, columns, training_times
from goalward.report.data import Experiment

Kind = Literal["heading", "domain", "average", "seconds"]


@dataclass(frozen=True)
class Row:
    """One line of the table. A heading has no values; the values of other kinds are percent or seconds."""

    kind: Kind
    name: str
    values: tuple[float | None, ...] = ()
    best: frozenset[int] = frozenset()
    """The indices of the best values of methods that learn."""

    @property
    def texts(self) -> list[str]:
        """The formatted values."""
        write = format_duration if self.kind == "seconds" else "{:.1f}".format
        return ["–" if value is None else write(value) for value in self.values]


Writer = Callable[[Experiment], str]


def writer_for(path: Path) -> Writer:
    """The function that writes the table in the format of a file name's suffix."""
    formats = {".md": _markdown, ".csv": _csv, ".tex": _latex}
    if path.suffix.lower() not in formats:
        raise UsageError(f"{path}: the name of a table must end in .md, .tex or .csv")
    write = formats[path.suffix.lower()]
    return lambda experiment: write(_headings(experiment), coverage_rows(experiment))


def _headings(experiment: Experiment) -> list[str]:
    return [f"{c.method} ({c.title})" if c.title else c.method for c in columns(experiment)]


def coverage_rows(experiment: Experiment) -> list[Row]:
    """The rows of the table: for each difficulty a heading, its domains, their average, and the training time."""
    shown, found, times = columns(experiment), cells(experiment), training_times(experiment)
    learned = [place for place, column in enumerate(shown) if column.method in experiment.learned]

    def row(kind: Kind, name: str, shares: Iterable[float | None]) -> Row:
        values = tuple(shares)
        highest = max((values[place] or 0.0 for place in learned), default=0.0)
        # Values are compared as printed. If all of them are equal, none is marked as the best.
        best = frozenset(p for p in learned if highest and f"{values[p] or 0.0:.1f}" == f"{highest:.1f}")
        if len(best) == sum(values[place] is not None for place in learned) > 1:
            best = frozenset()
        return Row(kind, name, values, best)

    rows = []
    for difficulty in experiment.difficulties:
        rows.append(Row("heading", f"{difficulty.capitalize()} tasks"))
        for domain in experiment.domains:
            mine = [found.get((difficulty, domain, column)) for column in shown]
            if any(mine):
                rows.append(row("domain", domain, (cell.percent if cell else None for cell in mine)))
        rows.append(row("average", "Average", (average(found, difficulty, column) for column in shown)))
        spent = [[t for (d, _, c), t in times.items() if (d, c) == (difficulty, column)] for column in shown]
        if any(spent):
            means = (sum(t.seconds for t in all_) / sum(t.instances for t in all_) if all_ else None for all_ in spent)
            rows.append(Row("seconds", "Training per instance", tuple(means)))
    return rows


def _csv(headings: list[str], rows: list[Row]) -> str:
    lines = []
    block = ""
    for row in rows:
        if row.kind == "heading":
            block = row.name.removesuffix(" tasks").lower()
            continue
        name = "Training seconds per instance" if row.kind == "seconds" else row.name
        lines.append([block, name, *("" if value is None else f"{value:.1f}" for value in row.values)])
    return csv_text(["tasks", "domain", *headings], lines, line_end="\n")


def _markdown(headings: list[str], rows: list[Row]) -> str:
    lines = [["Domain", *headings], ["---", *["---:"] * len(headings)]]
    for row in rows:
        name = f"**{row.name}**" if row.kind in ("heading", "average") else row.name
        marked = [f"**{text}**" if place in row.best else text for place, text in enumerate(row.texts)]
        lines.append([name, *(marked or [""] * len(headings))])
    return "".join("| " + " | ".join(cell.replace("|", r"\|") for cell in line) + " |\n" for line in lines)


def _latex(headings: list[str], rows: list[Row]) -> str:
    lines = [" & ".join(map(_escaped, ["Domain", *headings])) + r" \\"]
    for row in rows:
        if row.kind == "heading":
            lines += [r"\hline", rf"\multicolumn{{{len(headings) + 1}}}{{c}}{{{_escaped(row.name)}}} \\ \hline"]
            continue
        texts = map(_escaped, row.texts)
        marked = [rf"\textbf{{{text}}}" if place in row.best else text for place, text in enumerate(texts)]
        rule = "\\hline\n" if row.kind == "average" else ""
        lines.append(rule + " & ".join([_escaped(row.name), *marked]) + r" \\")
    return "\n".join([rf"\begin{{tabular}}{{l{'r' * len(headings)}}}", *lines, r"\end{tabular}", ""])


def _escaped(text: str) -> str:
    special = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "–": "--"}
    special |= {letter: f"\\{letter}" for letter in "&%$#_{}"}
    return "".join(special.get(letter, letter) for letter in text)
