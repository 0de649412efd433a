"""The file of results: SQLite, written by one process, the client. Every result is a separate database transaction, so that
computed results are kept whatever happens next."""

import datetime
import json
import sqlite3
import zlib

from smsim import stored
from smsim.errors import UserError
from smsim.task import from_outside
from smsim.values import LAUNCH

VERSION = 1
LAYOUT = """
CREATE TABLE sweep (name TEXT PRIMARY KEY, description TEXT, definition TEXT, created TEXT);
CREATE TABLE axis (sweep TEXT, position INTEGER, name TEXT, "values" TEXT, PRIMARY KEY (sweep, position));
CREATE TABLE point (sweep TEXT, number INTEGER, kernel TEXT, launch TEXT, "values" TEXT, settings TEXT, command TEXT,
                    key TEXT, PRIMARY KEY (sweep, number));
CREATE TABLE result (key TEXT PRIMARY KEY, status TEXT, message TEXT, exit_status INTEGER, seconds REAL, worker TEXT,
                     finished TEXT, model TEXT, report BLOB);
"""
# Files that were made before there was a chosen baseline have no such table.
BASELINE = 'CREATE TABLE IF NOT EXISTS baseline (sweep TEXT PRIMARY KEY, "values" TEXT);'
COLUMNS = ("status", "message", "exit_status", "seconds", "worker", "finished", "model", "report")

# Statuses whose results include a report.
WITH_REPORT = ("completed", "check_failed", "exception")


def now():
    return datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="milliseconds")


class Store:
    """An open file, created if missing. A `with` closes it."""

    def __init__(self, path):
        self.path = path
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._connection = sqlite3.connect(path, timeout=60, isolation_level=None)
            try:
                self._prepare()
            except BaseException:
                self.close()
                raise
        except OSError as error:
            raise UserError(f"{path}: cannot be made: {error.strerror}") from None
        except sqlite3.Error as error:
            raise UserError(f"{path}: cannot be used as a file of results: {error}") from None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def _prepare(self):
        self._connection.execute("PRAGMA journal_mode = WAL")
        # Safe against the end of any process; the last results may be lost if the machine loses power.
        self._connection.execute("PRAGMA synchronous = NORMAL")
        version = self._connection.execute("PRAGMA user_version").fetchone()[0]
        tables = self._connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
        if version == 0 and tables == 0:
            self._connection.executescript(f"BEGIN; {LAYOUT} PRAGMA user_version = {VERSION}; COMMIT;")
        elif version != VERSION:
            raise UserError(f"{self.path}: this is no file of results of layout {VERSION}; name another with --output")

    def close(self):
        self._connection.close()

    def write_sweep(self, sweep, rows, baseline):
        """Replaces the definition of this sweep in the file, in one database transaction; results stay. `rows`: (point, launch path,
        command) in order. `baseline`: axis name -> value of the chosen baseline, {} if none was chosen."""
        connection = self._connection
        connection.execute("BEGIN IMMEDIATE")
        try:
            connection.execute(BASELINE)
            for table in ("axis", "point", "baseline"):
                connection.execute(f"DELETE FROM {table} WHERE sweep = ?", (sweep.name,))
            connection.execute(
                "INSERT INTO sweep VALUES (?, ?, ?, ?) ON CONFLICT (name) DO UPDATE SET"
                " description = excluded.description, definition = excluded.definition",
                (sweep.name, sweep.description, sweep.text, now()),
            )
            for position, axis in enumerate(sweep.axes):
                steps = json.dumps([step.value for step in axis.steps])
                connection.execute("INSERT INTO axis VALUES (?, ?, ?, ?)", (sweep.name, position, axis.name, steps))
            if baseline:
                connection.execute("INSERT INTO baseline VALUES (?, ?)", (sweep.name, json.dumps(baseline)))
            connection.executemany(
                "INSERT INTO point VALUES (?, ?, ?, ?, ?, ?, ?, ?)", (_point_row(sweep, *row) for row in rows)
            )
            connection.execute("COMMIT")
        except BaseException:
            connection.execute("ROLLBACK")
            raise

    def known(self, keys):
        """key -> (status, seconds) of the valid results among these keys."""
        rows = self._connection.execute("SELECT key, status, seconds, exit_status FROM result").fetchall()
        return {
            key: (status, seconds)
            for key, status, seconds, exit_status in rows
            if key in keys and self._stands(key, status, exit_status)
        }

    def _stands(self, key, status, exit_status):
        """Whether a row is a valid result of its point. A run that was ended from outside has no result, and an unreadable
        report is not one."""
        if status == "interrupted" or status == "crashed" and (exit_status is None or from_outside(exit_status)):
            return False
        if status not in WITH_REPORT:
            return True
        report = self._connection.execute("SELECT report FROM result WHERE key = ?", (key,)).fetchone()[0]
        return readable(report)

    def add(self, key, result):
        """Writes one result, which is in the file on return."""
        marks = ", ".join("?" * (1 + len(COLUMNS)))
        try:
            self._connection.execute(
                f"INSERT OR REPLACE INTO result VALUES ({marks})", (key, *(result[column] for column in COLUMNS))
            )
        except sqlite3.Error as error:
            raise UserError(f"{self.path}: a result cannot be written: {error}") from None

    def outcomes(self, sweep_name):
        """(number, status, message) of every point of a sweep in order; both are None for a point without a result."""
        return self._connection.execute(
            "SELECT number, status, message FROM point LEFT JOIN result USING (key) WHERE sweep = ? ORDER BY number",
            (sweep_name,),
        ).fetchall()


def readable(report):
    """Whether the bytes in a file of results contain a complete report of a run."""
    try:
        tree = stored.parse(zlib.decompress(report))
    except (TypeError, ValueError, zlib.error):
        return False
    return isinstance(tree, dict) and "model" in tree


def _point_row(sweep, point, launch, command):
    values = json.dumps(point.values)
    settings = json.dumps([*point.settings, *(LAUNCH + change for change in point.launch)])
    return sweep.name, point.number, point.kernel.name, launch, values, settings, command, point.key
