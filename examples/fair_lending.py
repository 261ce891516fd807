"""Fair lending: the same complexity with and without a bound on the gap between groups, and what the bound costs.

The lending data were made with a known bias: qualified women and members of the minority were denied more often.
Run it with ``python examples/fair_lending.py [report.html]``.
"""

from __future__ import annotations

import sys
from pathlib import Path

from rulecg import RuleSetClassifier, build_report, datasets
from rulecg.model.model_file import to_model
from rulecg_fairness import equalized_odds_difference


def main(report: str | None = None) -> None:
    data, target, sensitive = datasets.load("lending")
    settings = {"max_complexity": 14, "time_limit": 3, "forbid": ["sex", "race"]}
    plain = RuleSetClassifier(**settings).fit(data, target)
    fair = RuleSetClassifier(**settings, constraints=["equalized-odds:0.1"]).fit(
        data, target, sensitive_features=sensitive
    )
    for name, classifier in {"without a bound": plain, "equalized odds within 0.1": fair}.items():
        predicted = classifier.predict(data)
        gap = equalized_odds_difference(target, predicted, sensitive_features=sensitive)
        print(f"== {name}: accuracy {classifier.score(data, target):.1%}, gap {gap:.3f}")
        print(classifier.rule_set_, "\n")
    prices = fair.result_.constraints.set_index("row")["dual"].abs()
    print("What the bounds cost (loss per 0.01, from the relaxation):")
    print((0.01 * prices[prices > 1e-7]).round(3).sort_values(ascending=False).head(5).to_string())
    if report is not None:
        model = to_model(fair, data=data, target="approved", sensitive=["sex", "race"])
        Path(report).write_text(build_report(model, data.assign(approved=target)), encoding="utf-8")
        print(f"Report: {report}")


if __name__ == "__main__":
    main(*sys.argv[1:2])
