"""A first rule set: learn, read, check on rows kept aside, explain one decision, save.

Run it with ``python examples/first_rule_set.py``.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from sklearn.model_selection import train_test_split

import rulecg
from rulecg import RuleSetClassifier, datasets


def main() -> None:
    data, target, _ = datasets.load("lending")
    X_train, X_test, y_train, y_test = train_test_split(data, target, test_size=0.3, random_state=0)

    classifier = RuleSetClassifier(max_complexity=12, time_limit=10).fit(X_train, y_train)
    print(classifier)
    print(f"\nAccuracy on rows kept aside: {classifier.score(X_test, y_test):.1%}")

    rejected = X_test[~classifier.predict(X_test)].head(1)
    print("\nWhy was this applicant not approved?")
    print(classifier.explain(rejected, immutable=["sex", "race"])[0])

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.json"
        rulecg.save_model(classifier, path, data=X_train, target="approved")
        again = rulecg.load_model(path)
        assert (again.predict(X_test) == classifier.predict(X_test)).all()
        print(f"\nThe model file has {path.stat().st_size} bytes and predicts the same.")


if __name__ == "__main__":
    main()
