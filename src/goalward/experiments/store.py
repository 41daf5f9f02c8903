"""Results in SQLite: the units of work of an experiment, and one result for each that has ended.

A unit is one training or one search; its id says which, for example ``train/blocks/hard/p35/n-rsl/0`` and
``search/blocks/hard/p35/n-rsl/0/p1`` (method, seed, state; a planner that learns nothing has seed ``-``). A result is
written in one transaction and never again, so whatever is killed, a unit has one result or none.
"""

from __future__ import annotations

import json
import math
import os
import sqlite3
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import fields
from pathlib import Path
from typing import Any
from urllib.parse import quote

from goalward.errors import StoredFileError, UsageError
from goalward.experiments.records import KINDS, Result, Unit, checked_extra, checked_meta, checked_result, checked_unit
from goalward.task.store import short_message

__all__ = ["FILE_NAME", "Result", "Store", "Unit"]

FILE_NAME = "results.sqlite"
VERSION = 1

_SCHEMA = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE units (
    id TEXT PRIMARY KEY, kind TEXT NOT NULL, domain TEXT NOT NULL, difficulty TEXT NOT NULL, instance TEXT NOT NULL,
    method TEXT NOT NULL, seed INTEGER, state TEXT
);
CREATE TABLE results (
    unit TEXT PRIMARY KEY REFERENCES units (id), status TEXT NOT NULL, solved INTEGER NOT NULL, total_time REAL,
    search_time REAL, expansions INTEGER, evaluations INTEGER, generated INTEGER, plan_length INTEGER, cost INTEGER,
    memory INTEGER, initial_h REAL, n_atoms INTEGER, error TEXT, attempts INTEGER NOT NULL, finished REAL NOT NULL,
    extra TEXT NOT NULL
);
CREATE TABLE attempts (unit TEXT NOT NULL REFERENCES units (id), started REAL NOT NULL);
CREATE INDEX attempts_of ON attempts (unit);
"""


_RESULT_COLUMNS = [f.name for f in fields(Result)]
_UNIT_COLUMNS = [f.name for f in fields(Unit)]


def _row(result: Result) -> list[Any]:
    """As the table of results holds it."""
    values = {name: getattr(result, name) for name in _RESULT_COLUMNS}
    values["finished"] = result.finished or time.time()
    values["extra"] = json.dumps(result.extra)
    return list(values.values())


def _address(path: Path) -> str:
    """As SQLite takes it; where nobody may write, a file that nobody is writing to can be read as it is."""
    address = f"file:{quote(os.fspath(path.absolute()))}"
    if not path.exists() or os.access(path.parent, os.W_OK):
        return address
    log = path.with_name(f"{path.name}-wal")
    if log.exists() and log.stat().st_size:
        raise UsageError(
            f"{path}: nobody may write in this folder, and part of the results is in {log.name}; copy both"
        )
    return f"{address}?immutable=1"


class Store:
    """An experiment's results. One process writes; any number may read meanwhile."""

    def __init__(self, path: Path, *, create: bool = False) -> None:
        self.path = path
        if not create and not path.exists():
            raise UsageError(f"{path.parent}: no experiment here (there is no {path.name})")
        try:
            self._db = sqlite3.connect(_address(path), timeout=60.0, isolation_level=None, uri=True)
        except sqlite3.Error as error:
            raise StoredFileError(f"{path}: cannot be used: {error}") from None
        try:
            if create:
                self._db.execute("PRAGMA journal_mode = WAL")
                self._db.execute("PRAGMA synchronous = FULL")
            self._prepare(create)
        except sqlite3.OperationalError as error:
            self._db.close()
            raise StoredFileError(f"{path}: cannot be used: {error}") from None
        except sqlite3.DatabaseError as error:
            self._db.close()
            raise StoredFileError(f"{path}: not a database of results ({error})") from None

    def _prepare(self, create: bool) -> None:
        found = self._db.execute("PRAGMA user_version").fetchone()[0]
        if found == 0 and create:
            with self._transaction():
                for statement in filter(None, map(str.strip, _SCHEMA.split(";"))):
                    self._db.execute(statement)
                self._db.execute(f"PRAGMA user_version = {VERSION}")
        elif found == 0:
            raise sqlite3.DatabaseError("it holds no results")
        elif found > VERSION:
            raise StoredFileError(
                f"{self.path}: written by a newer goalward (format {found}, this one reads {VERSION})"
            )

    @contextmanager
    def _trouble(self) -> Iterator[None]:
        """What a damaged file or a full disk does to the work inside becomes an error that says so."""
        try:
            yield
        except sqlite3.OperationalError as error:  # no space, no permission, locked, a table that is gone
            raise StoredFileError(f"{self.path}: cannot be used: {error}") from None
        except (sqlite3.Error, ValueError, TypeError, RecursionError, OverflowError) as error:
            raise StoredFileError(f"{self.path}: damaged ({short_message(error)})") from None

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        with self._trouble():
            self._db.execute("BEGIN IMMEDIATE")
            try:
                yield
                self._db.execute("COMMIT")
            except BaseException:
                with suppress(sqlite3.Error):  # SQLite itself has undone what could not be written
                    self._db.execute("ROLLBACK")
                raise

    def close(self) -> None:
        """Write everything to the one file and let go of it."""
        self._db.close()

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    # --- what the experiment is ---

    def set_meta(self, **values: Any) -> None:
        """Remember facts about the experiment (config, versions, machine), as JSON."""
        with self._transaction():
            self._put_meta(values)

    def _put_meta(self, values: dict[str, Any]) -> None:
        self._db.executemany(
            "INSERT INTO meta VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
            [(key, json.dumps(value)) for key, value in values.items()],
        )

    def meta(self) -> dict[str, Any]:
        """All such facts."""
        with self._trouble():
            return checked_meta(self._db.execute("SELECT key, value FROM meta"))

    def add_units(self, units: Iterable[Unit]) -> None:
        """Make units known; those that are known already stay as they are."""
        with self._transaction():
            self._put_units(units)

    def _put_units(self, units: Iterable[Unit]) -> None:
        self._db.executemany(
            "INSERT OR IGNORE INTO units VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            [(unit.id, *(getattr(unit, name) for name in _UNIT_COLUMNS)) for unit in units],
        )

    def take_in(self, results: Iterable[tuple[Unit, Result]], note: dict[str, Any]) -> int:
        """Add units with their results from elsewhere, all or none; returns how many results were new.

        The note on them, with that number, is kept under ``imported`` in the meta data.
        """
        pairs = list(results)
        with self._transaction():
            self._put_units(unit for unit, _ in pairs)
            added = self._put_results([_row(result) for _, result in pairs])
            self._put_meta({"imported": [*self.meta().get("imported", []), {**note, "new": added}]})
        return added

    def units(self) -> list[Unit]:
        """All of them, in the order they were made known."""
        with self._trouble():
            rows = self._db.execute(f"SELECT {', '.join(_UNIT_COLUMNS)} FROM units ORDER BY rowid")
            return [checked_unit(row) for row in rows]

    # --- what has been done ---

    def begin(self, unit: str) -> int:
        """Note that a unit is tried; returns how often it has been, this time included."""
        with self._transaction():
            self._db.execute("INSERT INTO attempts VALUES (?, ?)", (unit, time.time()))
            return int(self._db.execute("SELECT count(*) FROM attempts WHERE unit = ?", (unit,)).fetchone()[0])

    def add(self, result: Result) -> bool:
        """Keep a result; False where the unit has one already, which then stays."""
        return self._insert([_row(result)]) == 1

    def _insert(self, rows: list[list[Any]]) -> int:
        with self._transaction():
            return self._put_results(rows)

    def _put_results(self, rows: list[list[Any]]) -> int:
        marks = ", ".join("?" * len(_RESULT_COLUMNS))
        cursor = self._db.executemany(
            f"INSERT OR IGNORE INTO results ({', '.join(_RESULT_COLUMNS)}) VALUES ({marks})", rows
        )
        return max(cursor.rowcount, 0)

    def forget_failures(self, units: Iterable[str]) -> None:
        """Let those of the units that have failed be without a result again."""
        with self._transaction():
            self._db.executemany(
                "DELETE FROM results WHERE unit = ? AND status = 'failed'", [(unit,) for unit in units]
            )

    def finished(self) -> set[str]:
        """Units that have a result."""
        with self._trouble():
            return {row[0] for row in self._db.execute("SELECT unit FROM results")}

    def trained(self) -> set[str]:
        """Trainings that left a model."""
        with self._trouble():
            return {row[0] for row in self._db.execute("SELECT unit FROM results WHERE status = 'trained'")}

    def results(self, *, with_extra: bool = True) -> Iterator[tuple[Unit, Result]]:
        """Every result with its unit, in the order of the units; ``extra``, the bulk of a store, can be left out."""
        unit_columns = ", ".join(f"u.{name}" for name in _UNIT_COLUMNS)
        wanted = [name for name in _RESULT_COLUMNS if with_extra or name != "extra"]
        result_columns = ", ".join(f"r.{name}" for name in wanted)
        with self._trouble():
            rows = self._db.execute(
                f"SELECT {unit_columns}, {result_columns} FROM results r JOIN units u ON u.id = r.unit ORDER BY u.rowid"
            )
            for row in rows:
                values = dict(zip(wanted, row[len(_UNIT_COLUMNS) :], strict=True))
                yield checked_unit(row[: len(_UNIT_COLUMNS)]), checked_result(values)

    def extras(self, units: Iterable[str]) -> Iterator[tuple[str, dict[str, Any]]]:
        """``extra`` of some results, by the ids of their units."""
        for unit in units:
            with self._trouble():
                row = self._db.execute("SELECT extra FROM results WHERE unit = ?", (unit,)).fetchone()
                if row is not None:
                    yield unit, checked_extra(row[0])

    def add_many(self, results: Iterable[Result]) -> int:
        """Keep results in one transaction; returns how many units had none before."""
        return self._insert([_row(result) for result in results])

    def counts(self) -> dict[str, int]:
        """How many units there are, are done, solved and failed."""
        with self._trouble():
            total = self._db.execute("SELECT count(*) FROM units").fetchone()[0]
            done, solved, failed = self._db.execute(
                "SELECT count(*), coalesce(sum(solved), 0), coalesce(sum(status = 'failed'), 0) FROM results"
            ).fetchone()
        return {"units": total, "done": done, "solved": solved, "failed": failed}

    def progress(self) -> list[dict[str, Any]]:
        """For each method: units, done, solved, failed and the mean seconds of a unit, trainings and searches apart."""
        names = ("method", "kind", "units", "done", "solved", "failed", "mean_time")
        with self._trouble():
            rows = self._db.execute(
                "SELECT u.method, u.kind, count(*), count(r.unit), coalesce(sum(r.solved), 0),"
                " coalesce(sum(r.status = 'failed'), 0), avg(r.total_time)"
                " FROM units u LEFT JOIN results r ON r.unit = u.id GROUP BY u.method, u.kind ORDER BY min(u.rowid)"
            ).fetchall()
            if not all(isinstance(row[0], str) and row[1] in KINDS for row in rows):
                raise ValueError("a unit is of no kind that there is")
            if not all(row[-1] is None or math.isfinite(row[-1]) for row in rows):
                raise ValueError("a time is no number")
        return [dict(zip(names, row, strict=True)) for row in rows]

    def failures(self, most: int = 10) -> list[tuple[str, int]]:
        """The most frequent reasons of failed units, with their numbers."""
        with self._trouble():
            rows = self._db.execute(
                "SELECT coalesce(error, '') AS reason, count(*) AS n FROM results WHERE status = 'failed'"
                " GROUP BY reason ORDER BY n DESC, reason LIMIT ?",
                (most,),
            )
            return [(str(reason), int(n)) for reason, n in rows]
