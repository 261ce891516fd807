"""All rule sets that are about as good as a model: counted, described, and never said to be all without proof."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest

from rulecg import RuleSetClassifier, near_optimal
from rulecg_core import ConfigurationError
from rulecg_core.testing.brute_force import all_rules


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(4)
    table = pd.DataFrame(rng.random((60, 4)) < 0.5, columns=list("abcd"))
    y = ((table["a"] & table["b"]) | table["c"]) ^ (rng.random(60) < 0.2)
    return table, y.to_numpy(), np.where(rng.random(60) < 0.5, "f", "m")


@pytest.fixture(scope="module")
def classifier(rows):
    table, y, _ = rows
    return RuleSetClassifier(6, max_conditions=2, binarizer="deciles").fit(table, y)


@pytest.fixture(scope="module")
def found(classifier, rows):
    table, y, sex = rows
    return near_optimal(classifier, table, y, within_errors=3, sensitive_features=sex)


def brute(found):
    """Every set of rules within size and threshold: its covers, from all texts that have no condition too many."""
    problem = found.goal.problem
    texts = {}
    for rule in all_rules(problem):
        texts.setdefault(rule.covers(problem.X).tobytes(), []).append(rule)
    minimal = {
        cover: [rule for rule in rules if not any(set(other) < set(rule) for other in rules)]
        for cover, rules in texts.items()
    }
    counted = {}
    for size in range(4):
        for covers in combinations(minimal, size):
            once = sum(np.frombuffer(cover, dtype=bool).astype(int) for cover in covers) if size else np.zeros(1)
            if all((np.frombuffer(cover, dtype=bool) & (once == 1)).any() for cover in covers):
                ways = [()]
                for cover in covers:
                    ways = [(*way, rule) for way in ways for rule in minimal[cover]]
                fitting = [way for way in map(found.goal.evaluate, ways) if way.keeps_rows]
                within = [way for way in fitting if way.objective <= found.threshold]
                if within:
                    counted[frozenset(covers)] = (len(within), within[0].objective, within[0].errors)
    return counted


def test_families_texts_and_errors_are_those_of_plain_enumeration(found):
    """Every line of the table is a family that plain enumeration finds, with its objective, errors and number of texts;
    and no family is left out."""
    problem, expected = found.goal.problem, brute(found)
    table = found.table(10_000)
    assert found.complete
    assert len(table) == len(expected)
    for at in range(len(found)):
        covers = frozenset(rule.covers(problem.X).tobytes() for rule in found.rules(at))
        line = table.iloc[at]
        assert (line["texts"], line["objective"], line["errors"]) == pytest.approx(expected[covers])


def test_what_all_have_in_common_is_in_every_rule_set(found):
    """A condition or column that is said to be in every rule set is in the shown text of each, and some is."""
    always = found.always()
    texts = [str(found.rule_set(at)) for at in range(len(found))]
    assert always["columns"]
    assert all(condition in text for condition in always["conditions"] for text in texts)
    used = [{condition.column for condition in found.rule_set(at).conditions} for at in range(len(found))]
    assert set(always["columns"]) <= set.intersection(*used)


def test_disagreement_and_gaps_are_those_of_the_predictions(found, rows):
    """Ambiguity, discrepancy, who is accepted how often, and the range of a gap are those of all predictions."""
    table, _, sex = rows
    predictions = np.array([found.rule_set(at).predict(table) for at in range(len(found))])
    differs = predictions != predictions[0]
    measured = found.disagreement()
    assert measured["ambiguity"] == pytest.approx(differs.any(axis=0).mean())
    assert measured["discrepancy"] == pytest.approx(differs.mean(axis=1).max())
    assert found.accepted_by() == pytest.approx(predictions.mean(axis=0))
    selected = [abs(each[sex == "f"].mean() - each[sex == "m"].mean()) for each in predictions]
    ranges = found.gap_ranges().set_index("gap")
    least, most = ranges.iloc[0][["least", "most"]]
    assert (least, most) == pytest.approx((min(selected), max(selected)))


def test_bounds_on_groups_filter_the_list_in_true_counts_and_it_says_so(rows):
    """With a bound on a gap, the rule sets listed are those of the size-only tolerance that keep it."""
    table, y, sex = rows
    settings = {"max_conditions": 2, "binarizer": "deciles"}
    bounded = RuleSetClassifier(6, constraints=["demographic-parity:0.1"], **settings)
    bounded.fit(table, y, sensitive_features=sex)
    filtered = near_optimal(bounded, table, y, within_errors=3, sensitive_features=sex)
    gaps = filtered.table(10_000).filter(like="selection rate").iloc[:, 0]
    assert 0 < len(filtered) < len(filtered.families)
    assert gaps.max() <= 0.1 + 1e-9
    assert "size only" in filtered.statement()


def test_a_cut_off_list_says_that_it_is_not_complete(classifier, rows):
    """With more families than wanted, the statement gives a lower count and claims nothing more."""
    table, y, _ = rows
    some = near_optimal(classifier, table, y, within_errors=6, most=5)
    assert not some.complete
    assert some.statement().startswith("Not complete")


@pytest.mark.parametrize(
    "wrong", [{"within": 0.1, "within_errors": 1}, {"within": -1}, {"within": float("nan")}]
)
def test_a_tolerance_that_means_nothing_is_refused(classifier, rows, wrong):
    """Two tolerances, or one below zero or without a value, are an error that says what to give."""
    table, y, _ = rows
    with pytest.raises(ConfigurationError, match="tolerance"):
        near_optimal(classifier, table, y, **wrong)


def test_a_loss_that_does_not_add_up_over_rules_is_refused(rows):
    """The 0-1 loss counts a covered row once: such models are refused in words."""
    table, y, _ = rows
    other = RuleSetClassifier(4, loss="01", binarizer="deciles", time_limit=5).fit(table, y)
    with pytest.raises(ConfigurationError, match="Hamming"):
        near_optimal(other, table, y)
