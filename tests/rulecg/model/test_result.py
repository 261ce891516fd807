"""What a fit says about several classes, from its result to the report."""

from __future__ import annotations

from typing import Any

from rulecg import RuleSetClassifier
from rulecg.model.model_file import to_model
from rulecg.report import build_report


def test_tables_hold_one_line_per_round_and_row(fitted_classes: RuleSetClassifier) -> None:
    """History and constraints name the class that each line is about."""
    result = fitted_classes.result_
    assert set(result.history["class"]) == set(result.constraints["class"]) == set(fitted_classes.classes_)
    assert len(result.history) == sum(len(run.history) for run in result.runs.values())


def test_reports_of_several_classes_claim_nothing_about_all_together(
    fitted_classes: RuleSetClassifier, lending: Any
) -> None:
    """Each class may be proven by itself; wrong training rows are those of the confusion table, on one line of text."""
    data = lending.data
    page = build_report(to_model(fitted_classes, data=data.drop(columns="home"), target="home"), data)
    wrong = int((fitted_classes.predict(data.drop(columns="home")) != data["home"]).sum())
    assert "Proven best possible" not in page
    assert "Each class by itself" in page
    assert f"Together they get {wrong} training rows wrong" in page
    assert "\\n" not in page.partition("How good can rules get?")[2].partition("</section>")[0]
