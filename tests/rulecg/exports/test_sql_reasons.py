"""Decision, probability, rule and reasons from SQL: in SQLite and DuckDB, and in PostgreSQL where it is installed."""

import glob
import os
import pwd
import shutil
import sqlite3
import subprocess
import tempfile
from pathlib import Path

import pandas as pd
import pytest

from rulecg.exports import to_sql
from rulecg_core import ConfigurationError, UnknownNameError

from .conftest import drawn_model, rows_of, same


def answers(rows):
    """What the last four columns say, with reasons as a list."""
    return [(*row[-4:-1], row[-1].split("; ") if row[-1] else []) for row in rows]


def test_sqlite(drawn):
    """SQLite has texts for dates and seconds for durations."""
    model, table, expected = drawn
    connection = sqlite3.connect(":memory:")
    connection.execute(f"CREATE TABLE people ({', '.join(table.columns)})")
    for row in rows_of(table):
        values = [v.total_seconds() if isinstance(v, pd.Timedelta) else v for v in row.values()]
        values = [str(v) if isinstance(v, pd.Timestamp) else v for v in values]
        connection.execute(f"INSERT INTO people VALUES ({', '.join('?' * len(values))})", values)
    query = to_sql(model, "main.people", "decision", dialect="sqlite", reasons=True)
    same(answers(connection.execute(query).fetchall()), expected)


def test_duckdb(drawn):
    """DuckDB has types for all of them."""
    duckdb = pytest.importorskip("duckdb")
    model, table, expected = drawn
    given = table.assign(grade=table["grade"].astype(object), member=table["member"].astype(object))
    with duckdb.connect() as connection:
        connection.register("given", given)
        casts = "CAST(grade AS VARCHAR) AS grade, CAST(member AS BOOLEAN) AS member, CAST(job AS VARCHAR) AS job"
        connection.execute(f"CREATE SCHEMA work; CREATE TABLE work.people AS SELECT * REPLACE ({casts}) FROM given")
        query = to_sql(model, "work.people", "decision", dialect="duckdb", reasons=True)
        same(answers(connection.execute(query).fetchall()), expected)


@pytest.fixture(scope="module")
def postgres():
    """A PostgreSQL of the test's own, which is not run as root and listens on no network; its psql."""
    found = shutil.which("initdb") or next(iter(sorted(glob.glob("/usr/lib/postgresql/*/bin/initdb"))), None)
    if found is None or shutil.which("psql") is None:
        pytest.skip("PostgreSQL is not installed")
    folder = Path(tempfile.mkdtemp(prefix="pg"))
    prefix = []
    if os.geteuid() == 0:
        try:
            user = pwd.getpwnam("postgres")
        except KeyError:
            pytest.skip("PostgreSQL does not run as root, and there is no user postgres")
        os.chown(folder, user.pw_uid, user.pw_gid)
        prefix = ["setpriv", f"--reuid={user.pw_uid}", f"--regid={user.pw_gid}", "--clear-groups"]
    tool = Path(found).parent
    settings = {"cwd": folder, "check": True, "capture_output": True, "text": True, "timeout": 120}
    try:
        subprocess.run(
            [*prefix, found, "-D", folder / "data", "-U", "tester", "-A", "trust", "-E", "UTF8", "--locale=C", "-N"],
            **settings,
        )
        start = [tool / "pg_ctl", "-D", folder / "data", "-w", "-l", folder / "log"]
        options = f"-c listen_addresses='' -c fsync=off -k {folder}"
        subprocess.run([*prefix, *start, "-o", options, "start"], **{**settings, "capture_output": False})
        try:
            command = [*prefix, "psql", "-h", folder, "-U", "tester", "-d", "postgres", "-v", "ON_ERROR_STOP=1"]
            yield lambda *words, **more: subprocess.run([*command, *words], **{**settings, **more}).stdout
        finally:
            subprocess.run([*prefix, *start, "-m", "immediate", "stop"], **{**settings, "capture_output": False})
    finally:
        shutil.rmtree(folder, ignore_errors=True)


COLUMNS = "income float8, job text, grade text, member bool, day date, seen timestamp, wait interval"


def test_postgresql(postgres, drawn):
    """A real PostgreSQL, with a table in a schema."""
    model, table, expected = drawn
    written = table.assign(wait=table["wait"].dt.total_seconds().map(lambda s: f"{s} seconds", na_action="ignore"))
    setup = f'DROP SCHEMA IF EXISTS work CASCADE; CREATE SCHEMA work; CREATE TABLE work."new people" ({COLUMNS});'
    setup += ' COPY work."new people" FROM STDIN WITH (FORMAT csv, NULL \'\');\n'
    # COPY reads what follows it, up to a line of its own.
    postgres("-q", input=f"{setup}{written.to_csv(index=False, header=False)}\\.\n")
    query = to_sql(model, 'work."new people"', "decision", dialect="postgresql", reasons=True)
    text = postgres("-q", input=f"COPY ({query}) TO STDOUT WITH (FORMAT csv);\n")
    from io import StringIO

    found = pd.read_csv(StringIO(text), header=None, dtype=str, keep_default_na=False)
    rows = [(row[-4], float(row[-3]), row[-2] or None, row[-1]) for row in found.itertuples(index=False, name=None)]
    rows = [(type(model.classes[0])(label), *more) for label, *more in rows]
    same(answers(rows), expected)


def test_what_cannot_be_written_is_said():
    """Reasons need a table, and a dialect must be known."""
    with pytest.raises(ConfigurationError, match="name a table"):
        to_sql(drawn_model("dnf"), reasons=True)
    with pytest.raises(UnknownNameError, match="oracle"):
        to_sql(drawn_model("dnf"), "people", dialect="oracle")
