"""Audits stand where they say, show what they return, and judge only what they can."""

import re

import pandas as pd
import pytest
from attrs import evolve

from rulecg.report import build as build_module
from rulecg.report import build_report
from rulecg_core import load_registry
from rulecg_core.plugins.registry import Entry

from .pages import Page


@pytest.mark.parametrize("bound", ["demographic-parity:ratio=0.8", "group-recall-floor:0.5"])
def test_bounds_from_below_have_a_verdict_on_new_rows(bound, model, new_rows):
    """A limit that has no upper end is said as "at least"."""
    learned = evolve(model, settings={**model.settings, "constraints": [bound]}, certificate=None)
    text = Page(build_report(learned, new_rows)).text
    assert re.search(r"All bounds hold|Violated on new rows|Not enough data to say", text)
    assert "at least 0" in text
    assert "∞" not in text


def test_a_verdict_names_each_pair_once_and_sums_up(model, new_rows):
    """Equalized odds over two groups is two differences, not four, and one line says what they mean together."""
    learned = evolve(model, settings={**model.settings, "constraints": ["equalized-odds:0.1"]}, certificate=None)
    text = Page(build_report(learned, new_rows, sensitive=["sex"])).text
    assert text.count("false negative rate: female − male") + text.count("false negative rate: male − female") == 1
    assert "-0.1 to 0.1" in text
    assert len(re.findall(r"All bounds hold|Violated on new rows|Not enough data to say", text)) == 1


def test_auditors_find_what_they_ask_for(model, table):
    """Impact ratios with a test, rows of unknown group, predictive values, base rates and ranked reasons."""
    holes = table.assign(sex=table["sex"].where(table.index % 50 != 0))
    parsed = Page(build_report(model, holes))
    for words in (
        "Impact ratios and the four-fifths rule", "selected most", "12 rows are left out because the group is unknown",
        "positive predictive value", "base rate", "what would have to hold", "named first",
    ):  # fmt: skip
        assert words in parsed.text
    assert "reasons" in parsed.ids


def stranger_audit(y_true, y_pred, *, sensitive_features):
    table = pd.DataFrame({"n": [7], "calm": [0.25]}, index=pd.Index(["<everybody>"], name="group"))
    table.attrs.update(headline="Calm enough.", notes=("A note.",))
    return table


def broken_audit(y_true, y_pred):
    raise ZeroDivisionError("no rows")


def test_a_strangers_audit_is_shown_where_it_says(model, table, monkeypatch):
    """Its section, its title, its table, its notes; one that fails is named and the page is there all the same."""
    registry = load_registry()
    placed = {"section": "accuracy", "title": "How calm?", "needs": ("groups",)}
    registry.add(Entry("audit", "calmness", stranger_audit, "stranger", placement=placed))
    registry.add(Entry("audit", "broken", broken_audit, "stranger", placement={"section": "mood", "title": "Mood"}))
    monkeypatch.setattr(build_module, "load_registry", lambda: registry)
    page = build_report(model, table)
    text = Page(page).text
    accuracy = page[page.index('id="accuracy"') : page.index('id="certificate"')]
    for words in ("How calm?", "Calm enough.", "&lt;everybody&gt;", "0.25", "A note."):
        assert words in accuracy
    assert "The table 'broken' of stranger is not shown: ZeroDivisionError: no rows" in text
    assert "Mood" in text
