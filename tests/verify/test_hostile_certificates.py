"""Files that were made to deceive, or to take the checker down, are refused in a sentence."""

import copy
import gzip
import json

import pytest

from rulecg_verify import Refused, verify
from rulecg_verify.__main__ import main

from .small_tables import rewritten, with_gap


@pytest.fixture(scope="module")
def proven(tmp_path_factory):
    content, _, table = with_gap(tmp_path_factory.mktemp("proven"))
    return content, table


@pytest.mark.parametrize(
    "text",
    [
        b"", b"no json", b"[]", b"{}", b"null", b"1e999", b'{"format": NaN}', b'{"a": 1, "a": 2}', b"[" * 100_000,
        b'{"format": "rulecg-certificate"}', b"1" * 10_000, b"\xff\xfe", b'{"format": Infinity}',
    ],
)  # fmt: skip
def test_texts_that_are_no_certificate_are_refused(tmp_path, proven, text):
    """Whatever the file holds, the answer is a sentence and not an error of the checker."""
    proof = tmp_path / "proof.json.gz"
    for content in (gzip.compress(text), text):
        proof.write_bytes(content)
        with pytest.raises(Refused, match=r"\.$"):
            verify(proof, proven[1])


def test_a_file_that_unpacks_without_end_is_refused(tmp_path, proven):
    """Nobody's memory is filled by a small file that unpacks to a large one."""
    proof = tmp_path / "proof.json.gz"
    proof.write_bytes(gzip.compress(b" " * (210 * 2**20), 1))
    with pytest.raises(Refused, match="unpacks to more than"):
        verify(proof, proven[1])


PLACES = [
    ("version",), ("hash",), ("claim", "loss"), ("claim", "bound"), ("claim", "rules"), ("root", "scale"),
    ("root", "size"), ("root", "positives"), ("list",), ("list", 0), ("list", 0, 0), ("nodes",), ("nodes", 0, "sizes"),
    ("nodes", 0, "prices"), ("nodes", 0, "own"), ("dominated",), ("described", "conditions"),
    ("described", "conditions", 0), ("described", "conditions", 0, 2), ("described", "target"), ("described", "weight"),
    ("described", "problem", "max_conditions"), ("described", "problem", "max_complexity"),
    ("described", "problem", "false_negative"), ("described", "table", "columns", "coin 0"), ("described", "table"),
    ("described", "table", "separator"), ("described", "problem", "logic"),
]  # fmt: skip
WRONG = [None, True, -1, 10**30, 2**63, 1.5, "x", [], [[]], {}, [-1], [10**9], {"type": "number"}]


@pytest.mark.parametrize("place", PLACES, ids=str)
def test_values_of_the_wrong_kind_are_refused(tmp_path, proven, place):
    """In every place wrong types, negative places, huge numbers and empty entries are refused in a sentence."""
    content, table = proven
    for value in WRONG:
        mutant = copy.deepcopy(content)
        holder = mutant
        for key in place[:-1]:
            holder = holder[key]
        if holder[place[-1]] == value and type(holder[place[-1]]) is type(value):
            continue
        holder[place[-1]] = value
        with pytest.raises(Refused):
            verify(rewritten(mutant, tmp_path / "mutant.json.gz"), table)


def test_the_table_may_be_anything_too(tmp_path, proven):
    """A table that is not there, not text, without rows or with other columns is refused in a sentence."""
    proof = rewritten(proven[0], tmp_path / "proof.json.gz")
    table = tmp_path / "table.csv"
    header = b"age,job,member,outcome\n"
    for content in (b"", b"\x00\xff", header, b"age,age\n1,2\n", b"age\n1,2\n", header + b"x,y,z,w\n"):
        table.write_bytes(content)
        with pytest.raises(Refused):
            verify(proof, table)
    with pytest.raises(Refused, match="cannot be read"):
        verify(proof, tmp_path / "nowhere.csv")


def test_the_command_says_what_was_checked_or_what_is_wrong(tmp_path, proven, capsys):
    """Exit code 0 with the claim in words, or 1 with a sentence."""
    content, table = proven
    assert main([str(rewritten(content, tmp_path / "proof.json.gz")), str(table)]) == 0
    said = capsys.readouterr().out
    assert "PROVEN. No OR of ANDs" in said
    assert "NOT PROVEN" not in said
    lie = {**content, "claim": {**content["claim"], "loss": content["claim"]["loss"] - 1}}
    assert main([str(rewritten(lie, tmp_path / "lie.json.gz")), str(table)]) == 1
    assert capsys.readouterr().out.startswith("NOT PROVEN. A rule set has a loss of")
    assert json.dumps(content)  # the fixture is still what it was
