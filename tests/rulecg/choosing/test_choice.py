"""What ``max_complexity="auto"`` chooses, and what it says about it."""

import time

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import get_scorer

from rulecg import RuleSetClassifier
from rulecg.choosing.choice import choose
from rulecg.choosing.fold_rules import Option, Task
from rulecg.choosing.settled import options_of, settled, without_choice
from rulecg.estimators.learning import labelled_rows
from rulecg.estimators.recipe import compose
from rulecg_core import Deadline, load_registry

NO_CLOCK = {"time_limit": 300.0}
"""So long that no test below depends on how busy the machine is; a quiet one takes a few seconds."""


def planted(n_rows: int, noise: float, seed: int = 0) -> tuple[pd.DataFrame, np.ndarray]:
    """Two rules of two conditions each, some labels turned, and six columns that say nothing."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(rng.random((n_rows, 8)).round(2), columns=list("abcdefgh"))
    y = ((X["a"] > 0.6) & (X["b"] > 0.3)) | ((X["c"] <= 0.3) & (X["a"] <= 0.6))
    return X, np.asarray(y ^ (rng.random(n_rows) < noise))


@pytest.fixture(scope="module")
def learned() -> RuleSetClassifier:
    return RuleSetClassifier(**NO_CLOCK).fit(*planted(300, 0.1))


def test_noise_is_not_learned(learned: RuleSetClassifier) -> None:
    """On rows with a tenth of the labels turned, the rules are few and as good on new rows as their estimate says."""
    X, y = planted(4000, 0.1, seed=1)
    accuracy, expected = learned.score(X, y), learned.result_.expected
    assert learned.rule_set_.complexity <= 20
    assert accuracy > 0.8
    assert expected.accuracy.low <= accuracy <= expected.accuracy.high
    assert expected.beats_constant


def test_the_path_is_kept(learned: RuleSetClassifier) -> None:
    """A line for everything tried, from the constant upward; one is chosen, and its settings are those used."""
    path = learned.path_
    assert path["max_complexity"].iloc[0] == 1
    chosen = path[path["chosen"]]
    assert len(chosen) == 1
    assert learned.settings_["max_complexity"] == chosen["max_complexity"].iloc[0]
    assert learned.settings_["logic"] == chosen["logic"].iloc[0]
    assert set(path["logic"]) == {"dnf", "cnf"}
    best = path.loc[path["loss"].idxmin()]
    assert chosen["loss"].iloc[0] <= best["loss"] + best["loss_error"]
    assert chosen["complexity"].iloc[0] <= best["complexity"]


def test_what_to_expect_is_printed_first(learned: RuleSetClassifier) -> None:
    """Before the rules, with the most frequent class beside it, in text and in notebooks."""
    assert str(learned).startswith("Expected on new rows: accuracy ")
    assert "always saying" in str(learned).splitlines()[0]
    assert "Expected on new rows" in learned._repr_html_()


def test_the_order_of_rows_does_not_matter(learned: RuleSetClassifier) -> None:
    """Shuffled rows give the same choice, the same rules and the same estimate."""
    X, y = planted(300, 0.1)
    order = np.random.default_rng(5).permutation(len(X))
    again = RuleSetClassifier(**NO_CLOCK).fit(X.iloc[order], y[order])
    assert again.settings_["max_complexity"] == learned.settings_["max_complexity"]
    assert again.result_.expected.accuracy == learned.result_.expected.accuracy
    assert str(again.rule_set_) == str(learned.rule_set_)


def test_nothing_to_learn_says_so_and_names_class_weight() -> None:
    """Labels that are pure chance, 10 % positive, give a constant answer with the way out."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.random((200, 3)), columns=list("abc"))
    learned = RuleSetClassifier(teacher=None, **NO_CLOCK).fit(X, rng.random(200) < 0.1)
    assert learned.result_.expected.is_constant
    assert "class_weight" in str(learned)
    assert not learned.predict(X).any()


def test_costs_are_what_is_optimised() -> None:
    """Where a missed positive costs twenty times as much, rare positives are found and the cost is below constants'."""
    X, y = planted(300, 0.0)
    rare = np.flatnonzero(~y | (np.random.default_rng(0).random(len(y)) < 0.15))
    X, y = X.iloc[rare], y[rare]
    learned = RuleSetClassifier(costs={"fn": 20}, teacher=None, logic="dnf", **NO_CLOCK).fit(X, y)
    expected = learned.result_.expected
    assert expected.has_own_costs
    assert expected.cost < expected.constant_cost
    assert learned.predict(X)[y].mean() > 0.8
    assert "cost per row" in str(learned)


def test_scoring_is_what_is_maximised() -> None:
    """With balanced accuracy as the score, the choice is near the best in it, as scikit-learn counts."""
    X, y = planted(200, 0.05)
    learned = RuleSetClassifier(scoring="balanced_accuracy", teacher=None, logic="dnf", **NO_CLOCK).fit(X, y)
    path = learned.path_
    assert path["loss"].between(-1, 0).all()
    assert -path[path["chosen"]]["loss"].iloc[0] > 0.8
    assert get_scorer("balanced_accuracy")(learned, X, y) > 0.8
    with pytest.raises(ValueError, match="scoring must be None"):
        RuleSetClassifier(scoring="nonsense").fit(X, y)


def test_several_classes() -> None:
    """Three classes: each its rule set at the chosen bound, and an estimate for all together."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.random((150, 3)).round(2), columns=list("abc"))
    y = np.where(X["a"] > 0.7, "high", np.where(X["b"] > 0.5, "middle", "low"))
    learned = RuleSetClassifier(teacher=None, **NO_CLOCK).fit(X, y)
    assert len(learned.rule_set_.rule_sets) == 3
    assert learned.score(X, y) > 0.9
    assert set(learned.result_.expected.figures) == {"balanced accuracy"}
    assert learned.result_.expected.accuracy.value > 0.85


def test_samples_that_stay_together_are_not_learned_by_heart() -> None:
    """Forty patients with ten equal-labelled visits each, known by a number: only groups= sees that."""
    rng = np.random.default_rng(0)
    patient = np.repeat(np.arange(40), 10)
    sick = rng.permutation(np.repeat([False, True], 20))
    X = pd.DataFrame({"number": rng.permutation(40)[patient], "noise": rng.random(400).round(2)})
    settings = {"teacher": None, "logic": "dnf", **NO_CLOCK}
    apart = RuleSetClassifier(**settings).fit(X, sick[patient]).result_.expected
    together = RuleSetClassifier(**settings).fit(X, sick[patient], groups=patient).result_.expected
    assert apart.accuracy.value > together.accuracy.value + 0.1
    assert together.accuracy.high - together.accuracy.low > 1.5 * (apart.accuracy.high - apart.accuracy.low)


def test_bounds_on_groups_hold_in_every_fold_and_gaps_are_estimated() -> None:
    """Candidates keep the bound where they are learned; the final rule set keeps it on the training rows."""
    X, y = planted(300, 0.1)
    sex = np.where(np.random.default_rng(2).random(300) < 0.5 + 0.2 * y, "f", "m")
    learned = RuleSetClassifier(constraints=["demographic-parity:0.05"], teacher=None, logic="dnf", **NO_CLOCK).fit(
        X, y, sensitive_features=pd.DataFrame({"sex": sex})
    )
    positive = learned.predict(X)
    assert abs(positive[sex == "f"].mean() - positive[sex == "m"].mean()) <= 0.05 + 1e-9
    assert "selection rate by sex" in learned.result_.expected.gaps


def test_too_few_rows_choose_nothing() -> None:
    """With a class of one row there are no folds: a fixed bound stands in, and nothing is promised."""
    learned = RuleSetClassifier().fit(pd.DataFrame({"x": range(10)}), [1] + [0] * 9)
    assert learned.path_ is None
    assert learned.result_.expected is None
    assert learned.predict(pd.DataFrame({"x": [0, 5]})).tolist() == [1, 0]


def test_a_given_complexity_is_as_before() -> None:
    """Nothing is chosen: DNF, no teacher, no estimate."""
    learned = RuleSetClassifier(4, time_limit=5.0).fit(*planted(100, 0.0))
    assert (learned.settings_["logic"], learned.settings_["teacher"], learned.path_) == ("dnf", None, None)
    assert without_choice(RuleSetClassifier(4).get_params())["label_weight"] == 0.5


def test_given_settings_are_not_chosen_anew() -> None:
    """A given logic, teacher or label weight leaves nothing to choose there."""
    settings = {"max_complexity": "auto", "logic": "cnf", "teacher": "forest", "label_weight": 0.3}
    assert options_of(settings, 500) == [Option("cnf", 0.3)]
    assert len(options_of({**settings, "logic": "auto", "label_weight": "auto"}, 500)) == 6


def test_without_a_choice_many_rows_get_larger_rule_sets() -> None:
    """Where time was too short to choose, the bound goes by the number of rows."""
    settings = RuleSetClassifier().get_params()
    bounds = [settled(settings, n_rows).settings["max_complexity"] for n_rows in (60, 4_999, 5_000, 50_000)]
    assert bounds == [10, 10, 20, 20]


def test_time_that_is_over_leaves_the_choice_undone() -> None:
    """With no time at all for the choice there is still an answer soon, and no promise about it."""
    X, y = planted(300, 0.1)
    recipe = compose(load_registry(), max_complexity=10)
    rows, groups = labelled_rows(X, y, None, None)
    task = Task(recipe, RuleSetClassifier().get_params(), rows, groups, False, None, 0)
    assert choose(task, [Option("dnf", 1.0)], None, None, Deadline.after(0.0)) is None
    began = time.perf_counter()
    learned = RuleSetClassifier(time_limit=0.2).fit(X, y)
    assert learned.rule_set_ is not None
    assert time.perf_counter() - began < 60
