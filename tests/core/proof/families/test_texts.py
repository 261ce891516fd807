"""The texts of a cover: the rules with it that have no condition too many."""

from hypothesis import given, settings
from hypothesis import strategies as st

from rulecg_core.proof.families import texts as module
from rulecg_core.proof.families.texts import texts_of
from rulecg_core.testing.brute_force import all_rules
from rulecg_core.testing.random_problems import random_problem


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 10_000))
def test_texts_are_the_minimal_rules_with_the_cover(seed):
    """For every cover that a rule has, the texts are the rules with it of which no shorter part has it too."""
    problem = random_problem(seed, max_samples=15, max_features=6)
    by_cover = {}
    for rule in all_rules(problem):
        by_cover.setdefault(rule.covers(problem.X).tobytes(), []).append(rule.features)
    for rules in by_cover.values():
        minimal = [rule for rule in rules if not any(set(other) < set(rule) for other in rules)]
        cover = problem.X[:, list(rules[0])].all(axis=1)
        if not cover.all():
            texts, complete = texts_of(problem, cover)
            assert complete
            assert set(texts) == set(minimal)


def test_too_many_texts_are_cut_off_and_it_says_so(monkeypatch):
    """No more texts are listed than wanted, and the list does not claim to be complete."""
    problem = random_problem(1, max_samples=10, max_features=6, max_conditions=4)
    cover = problem.X[:, [0]].all(axis=1) & problem.X[:, [1]].all(axis=1)
    texts, _ = texts_of(problem, cover)
    monkeypatch.setattr(module, "MOST_TEXTS", len(texts) - 1)
    assert len(texts_of(problem, cover)[0]) == len(texts) - 1
    assert not texts_of(problem, cover)[1]
