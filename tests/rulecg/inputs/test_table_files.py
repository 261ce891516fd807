"""A table is read as it is meant, or refused: no column moves, leaks or gets lost."""

import io
import os
import random
import threading

import pandas as pd
import pytest

from rulecg.inputs.table_files import read_table
from rulecg_core import ConfigurationError, RulecgWarning


@pytest.fixture
def written(tmp_path):
    def write(text, name="table.csv"):
        path = tmp_path / name
        path.write_text(text)
        return path

    return write


def test_rows_longer_than_the_header_are_refused(written):
    """pandas would make the first value an index and move every column by one."""
    with pytest.raises(ConfigurationError, match="more values than its header"):
        read_table(written("a,b\n1,2,3\n4,5,6\n"))


def test_a_separator_at_the_end_of_every_row_moves_nothing(written):
    """Some programs end every row with a separator: the values stay under their names."""
    assert read_table(written("a,b\n1,2,\n4,5,\n")).to_dict("list") == {"a": [1, 4], "b": [2, 5]}


def test_a_name_that_occurs_twice_is_refused(written):
    """pandas would call the second target y.1 and hand it to the rules as an input."""
    with pytest.raises(ConfigurationError, match="two columns called 'y'"):
        read_table(written("a,b,y,y\n1,2,3,3\n"))


def test_a_named_index_of_a_parquet_file_is_a_column(tmp_path):
    """What a person named is data; row numbers without a name are not."""
    pytest.importorskip("pyarrow")
    table = pd.DataFrame({"b": [3, 4]}, index=pd.Index(["x", "y"], name="a"))
    table.to_parquet(tmp_path / "named.parquet")
    assert read_table(tmp_path / "named.parquet").to_dict("list") == {"b": [3, 4], "a": ["x", "y"]}
    table.set_axis([7, 9]).to_parquet(tmp_path / "numbered.parquet")
    assert read_table(tmp_path / "numbered.parquet").to_dict("list") == {"b": [3, 4]}


@pytest.mark.parametrize("separator", ["\t", "\\t"])
def test_a_tab_may_be_written_out(separator, written):
    """``--separator '\\t'`` reaches the reader as two characters."""
    assert read_table(written("a\tb\n1\t2\n"), separator=separator).to_dict("list") == {"a": [1], "b": [2]}


@pytest.mark.parametrize("separator", ["", ";;", '"', "\n", "€", "\\s+"])
def test_a_separator_is_one_plain_character(separator, written):
    """Anything else would be taken for a pattern, or not be found at all."""
    with pytest.raises(ConfigurationError, match="one character"):
        read_table(written("a\n1\n"), separator=separator)


def test_truth_values_are_read_one_by_one(written):
    """What was a truth value in training means the same whatever else stands in the column; the rest is told."""
    path = written("a,b\nTrue,1\nunknown,2\n,3\nF,4\nno,5\n")
    with pytest.warns(RulecgWarning, match=r"1 value of column 'a'.*'unknown'.*counts as missing"):
        table = read_table(path, kinds={"a": "truth value"})
    assert table["a"].tolist() == [True, None, None, False, False]


def test_codes_that_were_truth_values_in_text_stay_text(written):
    """A category called 1 or True is not turned into a number or a truth value."""
    table = read_table(written("a\nTrue\n001\n"), kinds={"a": "category"})
    assert table["a"].tolist() == ["True", "001"]


def test_pipes_are_tables_too(tmp_path):
    """``/dev/stdin`` and process substitution give pipes, which can be read only once."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=lambda: pipe.write_text("a,b\n1,2\n"))
    writer.start()
    assert read_table(pipe).to_dict("list") == {"a": [1], "b": [2]}
    writer.join()


def test_a_dash_is_standard_input(monkeypatch):
    """As in many other programs."""
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"a,b\n1,2\n")))
    assert read_table("-").to_dict("list") == {"a": [1], "b": [2]}


def test_devices_without_an_end_are_refused():
    """/dev/zero is no table."""
    with pytest.raises(ConfigurationError, match="not text"):
        read_table("/dev/zero")


def test_numbers_are_the_floats_nearest_to_what_is_written(written):
    """A certificate's checker reads texts by float(): a number one unit in the last place beside it is another one."""
    rng = random.Random(0)
    texts = [f"{rng.random() * 10.0 ** rng.randint(-20, 12):.{rng.randint(12, 30)}f}" for _ in range(5_000)]
    assert read_table(written("a\n" + "\n".join(texts) + "\n"))["a"].tolist() == [float(text) for text in texts]
