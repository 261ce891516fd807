"""Tables made to do harm: escaped, refused or bounded, from the command line to the report."""

import gzip
import sqlite3

import numpy as np
import pandas as pd
import pytest

import rulecg
from rulecg.commands import cli
from rulecg.inputs.table_files import MAX_LINE, read_table
from rulecg_core import ConfigurationError

HOSTILE = [
    "<script>alert(1)</script>",
    "'; DROP TABLE people; --",
    'say "hi", please',
    "a\u202eb\u2066c",
    "=cmd|' /C calc'!A0",
]


@pytest.fixture(scope="module")
def journey(tmp_path_factory):
    """Everything that people do, with a table whose names and categories are all hostile."""
    folder = tmp_path_factory.mktemp("hostile")
    rng = np.random.default_rng(1)
    table = pd.DataFrame({name: rng.choice(HOSTILE, 150) for name in HOSTILE})
    table["label\x1b[31m"] = np.where(table[HOSTILE[1]] == HOSTILE[0], HOSTILE[2], HOSTILE[3])
    table.to_csv(folder / "table.csv", index=False)
    model, page = folder / "model.json", folder / "report.html"
    code = cli.main(
        ["fit", str(folder / "table.csv"), "--target", "label\x1b[31m", "--positive", HOSTILE[2], "--sensitive",
         HOSTILE[0], "--max-complexity", "3", "--time-limit", "2", "--quiet", "--out", str(model)]
    )  # fmt: skip
    assert code == 0
    assert cli.main(["report", str(model), str(folder / "table.csv"), "--out", str(page)]) == 0
    return folder, table


def test_the_report_shows_hostile_names_as_text(journey):
    """No element, no direction change, no control character."""
    folder, _ = journey
    page = (folder / "report.html").read_text()
    assert "<script" not in page
    assert "\u202e" not in page
    assert "\x1b" not in page
    assert "&lt;script&gt;" in page


def test_the_model_file_shows_invisible_characters_as_escapes(journey):
    """ASCII alone, so that a person who reads it sees what is there."""
    folder, _ = journey
    assert (folder / "model.json").read_bytes().isascii()


def test_the_exported_query_only_reads(journey, capsys):
    """Run in SQLite on the hostile table: the right answers, and the table still there."""
    folder, table = journey
    assert cli.main(["export", str(folder / "model.json"), "--to", "sql", "--table", "people"]) == 0
    query = capsys.readouterr().out
    connection = sqlite3.connect(":memory:")
    table.to_sql("people", connection, index=False)
    found = [row[-1] for row in connection.execute(query)]
    assert found == rulecg.load_model(folder / "model.json").predict(table).tolist()
    assert connection.execute("SELECT count(*) FROM people").fetchone() == (150,)


def test_the_terminal_gets_no_control_codes(journey, capsys):
    """Neither in results nor in error messages."""
    folder, _ = journey
    assert cli.main(["explain", str(folder / "model.json"), str(folder / "table.csv"), "--limit", "3"]) == 0
    assert cli.main(["fit", str(folder / "table.csv"), "--target", "\x1b[2J\u202e", "--out", "m"]) == 2
    shown = "".join(capsys.readouterr())
    assert "\x1b" not in shown
    assert "\u202e" not in shown


@pytest.mark.parametrize("packed", [False, True])
def test_a_line_of_a_hundred_megabytes_is_refused(packed, tmp_path):
    """Before a parser tries to hold it, compressed or not."""
    path = tmp_path / ("long.csv.gz" if packed else "long.csv")
    with (gzip.open(path, "wb", compresslevel=1) if packed else path.open("wb")) as stream:
        stream.write(b"a,b\n")
        for _ in range(100):
            stream.write(b"x" * 2**20)
    with pytest.raises(ConfigurationError, match="a line of more than 512 KB"):
        read_table(path)


def test_long_lines_within_reason_are_read(tmp_path):
    """Wide tables are no mistake."""
    path = tmp_path / "wide.csv"
    path.write_text("\n".join(",".join(f"{line}{k}" for k in range(5000)) for line in "abc"))
    assert len(path.read_text().splitlines()[0]) < MAX_LINE
    assert read_table(path).shape == (2, 5000)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "Cannot read"),
        (b"a,b\n", "no rows"),
        (b"PK\x03\x04\x00\x00zip", "not text"),
        (b"a,b\n1,2,3\n1,2,3,4\n", "Cannot read"),
        (b"\x1f\x8bnot gzip at all", "Cannot read"),
        (b"a\n\xff\xfe\xfa\n", "Cannot read"),
    ],
)
def test_files_that_are_no_tables_are_refused(content, message, tmp_path):
    """With one clear message each."""
    path = tmp_path / "bad.csv"
    path.write_bytes(content)
    with pytest.raises(ConfigurationError, match=message):
        read_table(path)


def test_a_file_that_is_no_parquet_is_refused(tmp_path):
    """Whatever pyarrow thinks of it."""
    path = tmp_path / "bad.parquet"
    path.write_bytes(b"PAR1nonsense")
    with pytest.raises(ConfigurationError, match="parquet"):
        read_table(path)


def test_a_huge_number_of_categories_is_bounded_and_said(tmp_path, capsys):
    """A column of identifiers gets conditions for the most frequent values only, and a note says so."""
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"id": [f"person {k}" for k in range(5000)], "x": rng.random(5000)})
    table["y"] = (table["x"] > 0.5).astype(int)
    table.to_csv(tmp_path / "many.csv", index=False)
    words = ["fit", str(tmp_path / "many.csv"), "--target", "y", "--max-complexity", "4", "--time-limit", "3"]
    assert cli.main([*words, "--out", str(tmp_path / "m.json")]) == 0
    assert "has 5000 categories" in capsys.readouterr().err
    assert len(rulecg.load_model(tmp_path / "m.json").conditions) < 200


def test_codes_with_leading_zeros_stay_text(tmp_path, capsys):
    """A column that was text when learned is read as text again, though the new file holds digits alone."""
    table = pd.DataFrame({"code": ["007", "008", "x12"] * 30, "y": [1, 0, 0] * 30})
    table.to_csv(tmp_path / "codes.csv", index=False)
    out = tmp_path / "m.json"
    words = ["fit", str(tmp_path / "codes.csv"), "--target", "y", "--time-limit", "2", "--quiet", "--out", str(out)]
    assert cli.main(words) == 0
    capsys.readouterr()
    (tmp_path / "new.csv").write_text("code\n007\n008\n")
    assert cli.main(["predict", str(out), str(tmp_path / "new.csv")]) == 0
    assert capsys.readouterr().out.split() == ["prediction", "1", "0"]
