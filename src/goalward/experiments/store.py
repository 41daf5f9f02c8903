"""Stores the units of work of an experiment, and the result of each unit that has ended, in SQLite.

A unit is one training or one search. Its id has kind, domain, difficulty, instance, method, seed and state, for example
``train/blocks/hard/p35/n-rsl/0`` and ``search/blocks/hard/p35/n-rsl/0/p1``. The seed of a planner that learns nothing
is ``-``. A result is written in one transaction and never changed, so a unit always has one result or none, even if
processes are killed.
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
    """The columns of a result."""
    values = {name: getattr(result, name) for name in _RESULT_COLUMNS}
    values["finished"] = result.finished or time.time()
    values["extra"] = json.dumps(result.extra)
    return list(values.values())


def _address(path: Path) -> str:
    """The address of the file for SQLite; a file in a read-only folder is opened as immutable."""
    address = f"file:{quote(os.fspath(path.absolute()))}"
    if not path.exists() or os.access(path.parent, os.W_OK):
        return address
    log = path.with_name(f"{path.name}-wal")
    if log.exists() and log.stat().st_size:
        raise UsageError(
            f"{path}: the folder is read-only, and part of the results is in {log.name}: copy both to another folder"
        )
    return f"{address}?immutable=1"


class Store:
    """The results of an experiment. One process may write while others read."""

    def __init__(self, path: Path, *, create: bool = False) -> None:
        self.path = path
        if not create and not path.exists():
            raise UsageError(f"{path.parent}: no experiment here (it has no {path.name})")
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
            raise sqlite3.DatabaseError("it has no results")
        elif found > VERSION:
            raise StoredFileError(
                f"{self.path}: written by a newer goalward (format {found}, this one reads {VERSION})"
            )

    @contextmanager
    def _storage_errors(self) -> Iterator[None]:
        """Turn the exceptions that a damaged file or a full disk causes into StoredFileError."""
        try:
            yield
        except sqlite3.OperationalError as error:  # no space, no permission, locked, or a missing table
            raise StoredFileError(f"{self.path}: cannot be used: {error}") from None
        except (sqlite3.Error, ValueError, TypeError, RecursionError, OverflowError) as error:
            raise StoredFileError(f"{self.path}: damaged ({short_message(error)})") from None

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        with self._storage_errors():
            self._db.execute("BEGIN IMMEDIATE")
            try:
                yield
                self._db.execute("COMMIT")
            except BaseException:
                with suppress(sqlite3.Error):  # SQLite may have rolled back already
                    self._db.execute("ROLLBACK")
                raise

    def close(self) -> None:
        """Close the database; SQLite then moves everything from its log to the main file."""
        self._db.close()

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    # --- meta data and units ---

    def set_meta(self, **values: Any) -> None:
        """Store meta data of the experiment (config, versions, machine), as JSON."""
        with self._transaction():
            self._put_meta(values)

    def _put_meta(self, values: dict[str, Any]) -> None:
        self._db.executemany(
            "INSERT INTO meta VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
            [(key, json.dumps(value)) for key, value in values.items()],
        )

    def meta(self) -> dict[str, Any]:
        """All meta data by key."""
        with self._storage_errors():
            return checked_meta(self._db.execute("SELECT key, value FROM meta"))

    def add_units(self, units: Iterable[Unit]) -> None:
        """Add units; those that exist already are not changed."""
        with self._transaction():
            self._put_units(units)

    def _put_units(self, units: Iterable[Unit]) -> None:
        self._db.executemany(
            "INSERT OR IGNORE INTO units VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            [(unit.id, *(getattr(unit, name) for name in _UNIT_COLUMNS)) for unit in units],
        )

    def import_results(self, results: Iterable[tuple[Unit, Result]], note: dict[str, Any]) -> int:
        """Add units with their results in one transaction; return the number of new results.

        ``note`` describes their source. It is stored with that number under ``imported`` in the meta data.
        """
        pairs = list(results)
        with self._transaction():
            self._put_units(unit for unit, _ in pairs)
            added = self._put_results([_row(result) for _, result in pairs])
            self._put_meta({"imported": [*self.meta().get("imported", []), {**note, "new": added}]})
        return added

    def units(self) -> list[Unit]:
        """All units, in the order in which they were added."""
        with self._storage_errors():
            rows = self._db.execute(f"SELECT {', '.join(_UNIT_COLUMNS)} FROM units ORDER BY rowid")
            return [checked_unit(row) for row in rows]

    # --- attempts and results ---

    def begin_attempt(self, unit: str) -> int:
        """Record an attempt at a unit; return the number of attempts so far, including this one."""
        with self._transaction():
            self._db.execute("INSERT INTO attempts VALUES (?, ?)", (unit, time.time()))
            return int(self._db.execute("SELECT count(*) FROM attempts WHERE unit = ?", (unit,)).fetchone()[0])

    def add(self, result: Result) -> bool:
        """Add a result; return False, and change nothing, if the unit has one already."""
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

    def forget(self, units: Iterable[str], status: str) -> None:
        """Delete the results of those units that have this status, so that they run again."""
        with self._transaction():
            self._db.executemany(
                "DELETE FROM results WHERE unit = ? AND status = ?", [(unit, status) for unit in units]
            )

    def finished(self) -> set[str]:
        """The ids of units that have a result."""
        with self._storage_errors():
            return {row[0] for row in self._db.execute("SELECT unit FROM results")}

    def trained(self) -> set[str]:
        """The ids of trainings that produced a model."""
        with self._storage_errors():
            return {row[0] for row in self._db.execute("SELECT unit FROM results WHERE status = 'trained'")}

    def results(self, *, with_extra: bool = True) -> Iterator[tuple[Unit, Result]]:
        """All results with their units, in the order of the units; ``extra``, most of the data, can be left out."""
        unit_columns = ", ".join(f"u.{name}" for name in _UNIT_COLUMNS)
        wanted = [name for name in _RESULT_COLUMNS if with_extra or name != "extra"]
        result_columns = ", ".join(f"r.{name}" for name in wanted)
        with self._storage_errors():
            rows = self._db.execute(
                f"SELECT {unit_columns}, {result_columns} FROM results r JOIN units u ON u.id = r.unit ORDER BY u.rowid"
            )
            for row in rows:
                values = dict(zip(wanted, row[len(_UNIT_COLUMNS) :], strict=True))
                yield checked_unit(row[: len(_UNIT_COLUMNS)]), checked_result(values)

    def extras(self, units: Iterable[str]) -> Iterator[tuple[str, dict[str, Any]]]:
        """Yield ``extra`` of the results of these units, with the unit's id."""
        for unit in units:
            with self._storage_errors():
                row = self._db.execute("SELECT extra FROM results WHERE unit = ?", (unit,)).fetchone()
                if row is not None:
                    yield unit, checked_extra(row[0])

    def add_many(self, results: Iterable[Result]) -> int:
        """Add results in one transaction; return how many were new."""
        return self._insert([_row(result) for result in results])

    def counts(self) -> dict[str, int]:
        """The numbers of all, done, solved and failed units."""
        with self._storage_errors():
            total = self._db.execute("SELECT count(*) FROM units").fetchone()[0]
            done, solved, failed = self._db.execute(
                "SELECT count(*), coalesce(sum(solved), 0), coalesce(sum(status = 'failed'), 0) FROM results"
            ).fetchone()
        return {"units": total, "done": done, "solved": solved, "failed": failed}

    def progress(self) -> list[dict[str, Any]]:
        """For each method and kind: the numbers of all, done, solved and failed units, and the mean time of a unit."""
        names = ("method", "kind", "units", "done", "solved", "failed", "mean_time")
        with self._storage_errors():
            rows = self._db.execute(
                "SELECT u.method, u.kind, count(*), count(r.unit), coalesce(sum(r.solved), 0),"
                " coalesce(sum(r.status = 'failed'), 0), avg(r.total_time)"
                " FROM units u LEFT JOIN results r ON r.unit = u.id GROUP BY u.method, u.kind ORDER BY min(u.rowid)"
            ).fetchall()
            if not all(isinstance(row[0], str) and row[1] in KINDS for row in rows):
                raise ValueError("a unit has an unknown kind")
            if not all(row[-1] is None or math.isfinite(row[-1]) for row in rows):
                raise ValueError("a time is not a finite number")
        return [dict(zip(names, row, strict=True)) for row in rows]

    def failures(self, limit: int = 10) -> list[tuple[str, int]]:
        """The most frequent reasons of failures, with the number of units."""
        with self._storage_errors():
            rows = self._db.execute(
                "SELECT coalesce(error, '') AS reason, count(*) AS n FROM results WHERE status = 'failed'"
                " GROUP BY reason ORDER BY n DESC, reason LIMIT ?",
                (limit,),
            )
            return [(str(reason), int(n)) for reason, n in rows]
