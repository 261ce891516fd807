"""The JSON that other languages apply: the JavaScript of the page on deployment decides as the model does."""

import json
import math
import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from rulecg.exports import to_applied_json
from rulecg.exports.applied import Applied, Test
from rulecg_core import Condition, ConfigurationError, Mark, Scale

from .conftest import drawn_model, rows_of

PAGE = Path(__file__).parents[3] / "docs" / "guide" / "deployment.md"
SCRIPT = re.compile(r"^```javascript\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def plain(value):
    """What JSON can hold of a value."""
    if isinstance(value, pd.Timestamp):
        return value.isoformat()
    return value.total_seconds() if isinstance(value, pd.Timedelta) else value


def test_javascript_decides_as_the_model_does(drawn, tmp_path):
    """Decision, probability and rule, from the script that the page shows, in Node."""
    node = shutil.which("node")
    if node is None:
        pytest.skip("Node is not installed")
    model, table, expected = drawn
    (script,) = SCRIPT.findall(PAGE.read_text(encoding="utf-8"))
    rows = [{name: plain(value) for name, value in row.items()} for row in rows_of(table)]
    program = f"{script}\nconst model = {to_applied_json(model)};\nconst rows = {json.dumps(rows)};\n"
    program += "console.log(JSON.stringify(rows.map(row => decide(model, row))));\n"
    (tmp_path / "run.js").write_text(program, encoding="utf-8")
    done = subprocess.run([node, tmp_path / "run.js"], capture_output=True, text=True, timeout=60, check=True)
    found = json.loads(done.stdout)
    assert [one["decision"] for one in found] == expected["decision"].tolist()
    assert [one["rule"] for one in found] == expected["rule"].tolist()
    np.testing.assert_allclose([one["probability"] for one in found], expected["probability"], rtol=1e-12)


def test_the_script_of_the_page_is_ten_lines():
    """What the page promises."""
    (script,) = SCRIPT.findall(PAGE.read_text(encoding="utf-8"))
    assert len(script.splitlines()) == 10


TESTS = {
    "a level": (Condition("g", "<=", Mark(1, Scale("order", ("A", "B", "C")))), ["g", "in", ["A", "B"]]),
    "above a level": (Condition("g", ">", Mark(1, Scale("order", ("A", "B", "C")))), ["g", "in", ["C"]]),
    "a date": (Condition("d", ">", Mark(19_723, Scale("date"))), ["d", ">", "2024-01-01T00:00:00", "moment"]),
    "a moment": (
        Condition("d", "<=", Mark(90.5, Scale("datetime"))), ["d", "<=", "1970-01-01T00:01:30.500000", "moment"],
    ),
    "a duration": (Condition("w", "<=", Mark(60, Scale("duration"))), ["w", "<=", 60.0, "duration"]),
    "a number": (Condition("n", ">", 3.5), ["n", ">", 3.5]),
    "a state": (Condition("n", "missing"), ["n", "missing"]),
}


@pytest.mark.parametrize("what", TESTS)
def test_scales_are_written_so_that_nobody_needs_to_know_them(what):
    """Levels as lists, moments as texts that have their order, durations as seconds."""
    condition, expected = TESTS[what]
    assert Test.of(condition).to_list() == expected


def test_a_model_without_known_probabilities_is_refused():
    """Rules that were edited have no scores."""
    from attrs import evolve

    with pytest.raises(ConfigurationError, match="rescored"):
        Applied.of(evolve(drawn_model("dnf"), has_stale_scores=True))
    costly = evolve(drawn_model("dnf"), settings={"costs": {"fp": 5.0, "fn": 1.0}})
    with pytest.raises(ConfigurationError, match="cost differently"):
        Applied.of(costly)
    assert math.isclose(Applied.of(drawn_model("three-dnf")).unclaimed[0], drawn_model("three-dnf").otherwise[0])
