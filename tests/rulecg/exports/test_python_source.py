"""The Python module decides by itself, with nothing but Python, as the model does."""

import subprocess
import sys

import pytest

from rulecg.exports import to_python

from .conftest import drawn_model, rows_of, same


def test_the_module_gives_decision_probability_rule_and_reasons(drawn):
    """Row by row what the model says, missing values and several classes included; predict is its decision."""
    model, table, expected = drawn
    space = {}
    exec(compile(to_python(model), "exported", "exec"), space)
    found = [space["decide"](row) for row in rows_of(table)]
    same([tuple(one.values()) for one in found], expected)
    assert [space["predict"](row) for row in rows_of(table)] == expected["decision"].tolist()


def test_the_module_needs_no_package_at_all(tmp_path):
    """It runs in a Python without site-packages: that is the predict-only install."""
    module = tmp_path / "model.py"
    module.write_text(to_python(drawn_model("dnf")), encoding="utf-8")
    asked = "import model; print(sorted(model.decide(dict.fromkeys(model.MODEL and ['income','job','grade','member',"
    asked += "'day','seen','wait']))))"
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", f"import sys; sys.path.insert(0, {str(tmp_path)!r}); {asked}"],
        capture_output=True, text=True, timeout=60, check=True,
    )  # fmt: skip
    assert done.stdout.strip() == "['decision', 'probability', 'reasons', 'rule']"


@pytest.mark.parametrize("text", ["2024-01-01", "2024-01-01 00:00:00", "2024-01-01T00:00:00"])
def test_dates_may_be_texts(text):
    """Midnight is midnight, however it is written."""
    model = drawn_model("dnf")
    space = {}
    exec(compile(to_python(model), "exported", "exec"), space)
    assert space["_moment"](text) == "2024-01-01T00:00:00"
