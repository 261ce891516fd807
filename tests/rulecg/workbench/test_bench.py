"""The workbench: completions are those of brute force, bounds hold at any moment, and every step can be taken back."""

from itertools import combinations

import pytest

from rulecg import RuleSetClassifier, load_model, save_model
from rulecg.workbench.bench import Workbench
from rulecg_core import ConfigurationError, RulecgError
from rulecg_core.testing.brute_force import all_rules


def best_with(bench, kept=(), banned=()):
    """The least objective of all rule sets with some rules and without some columns, by plain enumeration."""
    run = bench.optimum
    problem, goal = run.problem, run.goal
    allowed = [
        rule for rule in all_rules(problem) if not any(problem.conditions[at].column in banned for at in rule)
    ]
    fixed = [rule for rule in all_rules(problem) if any(set(run.clause(rule)) == set(each) for each in kept)]
    sets = (
        {*fixed, *others} for size in range(3) for others in combinations(allowed, size)
    )
    judged = (goal.evaluate(sorted(rules)) for rules in sets)
    return min(found.objective for found in judged if found.keeps_rows)


def test_keeping_a_rule_gives_the_best_rule_set_with_it(bench):
    """The completion after keeping a rule that nobody would have chosen is the best one with it, proven, and its price
    is the difference to the optimum."""
    answer = bench.add("e and not a", wait=True)
    best = best_with(bench, kept=bench.standing.kept)
    bench.optimum.wait()
    answer = bench.look(wait=True)
    assert answer.is_optimal
    assert answer.completed.objective == best == answer.bound
    assert answer.cost.least == answer.cost.most == best - best_with(bench)
    assert "e and not a" in answer.completion


def test_a_ban_gives_the_best_rule_set_without_the_column(bench):
    """The completion after a ban is the best one without the column; the price asked for before is the same."""
    bench.look(wait=True)
    price = bench.price("ban", "a")
    answer = bench.ban("a", wait=True)
    assert answer.is_optimal
    assert answer.completed.objective == best_with(bench, banned=["a"])
    assert price.least == price.most == answer.completed.objective - bench.optimum.objective
    assert not any("a" in text.split() for text in (*answer.completion, *answer.rules))


def test_bounds_and_completions_so_far_are_never_wrong(bench):
    """Without any waiting, every answer's bound is at most, and its completion at least, the best there is."""
    bench.patience = 0.0
    answers = [bench.ban("b"), bench.add("c and e"), bench.ban("d")]
    best = best_with(bench, kept=bench.standing.kept, banned=["b", "d"])
    last = answers[-1]
    assert last.bound is None or last.bound <= best
    assert last.completed is None or last.completed.objective >= best
    assert bench.look(wait=True).completed.objective == best


def test_figures_of_the_draft_are_those_of_its_predictions(bench, rows):
    """Errors and accuracy of an edited draft are those that its rules make on the rows."""
    table, y = rows
    bench.edit(1, "c and not e")
    answer = bench.drop(2)
    wrong = int((bench.rule_set.predict(table) != y).sum())
    assert answer.draft.errors == wrong
    assert answer.draft.accuracy == pytest.approx(1 - wrong / len(y))
    assert answer.rules[0] == "c and not e"
    assert answer.kept[0]


def test_undo_takes_back_rules_bans_and_completion(bench):
    """After undo the draft, what is kept and what is banned are as before."""
    before = bench.look(wait=True)
    bench.keep(1, wait=True)
    bench.ban("e")
    bench.undo()
    answer = bench.undo()
    assert (answer.rules, answer.kept, answer.banned) == (before.rules, before.kept, before.banned)
    assert bench.look(wait=True).completed.objective == before.completed.objective
    with pytest.raises(ConfigurationError, match="nothing to undo"):
        bench.undo()


def test_what_is_saved_predicts_as_the_draft_and_tells_its_history(bench, rows, tmp_path):
    """The model of an accepted completion has its certificate, its history, and comes back from a file alike."""
    bench.add("e and not a", wait=True)
    bench.accept()
    save_model(bench.to_model(), tmp_path / "edited.json")
    model = load_model(tmp_path / "edited.json")
    assert (model.decide(rows[0]) == bench.rule_set.predict(rows[0])).all()
    assert [edit.command for edit in model.edits] == ['add "e and not a"', "accept"]
    assert model.certificate.text.startswith("Of rule sets each of which has 'e and not a': Proven optimal")
    again = Workbench(*rows, model=model, folds=0)
    assert [edit.command for edit in again.edits] == ['add "e and not a"', "accept"]
    again.close()


def test_a_draft_that_nothing_was_proven_about_has_no_certificate(bench):
    """A draft other than the completion is saved without a certificate."""
    bench.look(wait=True)
    bench.drop(1, wait=True)
    assert bench.to_model().certificate is None


def test_prices_of_what_is_kept_banned_and_bounded_are_the_differences(rows):
    """Each price is the best objective with everything less the one without that one thing; a bound on groups too."""
    table, y = rows
    bounded = RuleSetClassifier(
        6, max_conditions=2, binarizer="deciles", time_limit=20, constraints=["demographic-parity:0.05"]
    ).fit(table, y, sensitive_features=table["e"])
    with Workbench(table, y, model=bounded, sensitive_features=table["e"], folds=0) as bench:
        bench.ban("a", wait=True)
        prices = bench.prices(seconds=30)
        assert len(prices) == 2
        assert (prices["least"] <= prices["most"]).all()
        assert prices["what"][0] == "ban a"
        free = bench.optimum.objective
        assert prices["least"][0] <= bench.completion.objective - free <= prices["most"][0]


def test_the_accuracy_to_expect_is_less_than_that_of_training(rows, classifier):
    """Folds are learned from once: they say how much of the training accuracy is lost on new rows."""
    with Workbench(*rows, model=classifier, folds=3) as bench:
        for _ in range(300):
            answer = bench.look()
            if answer.expected is not None:
                break
            bench.optimum.wait(0.2)
            bench._closed.wait(0.1)
        assert answer.expected < answer.draft.accuracy


@pytest.mark.parametrize(
    "wrong",
    [("keep", 9), ("add", "age > 3"), ("add", ""), ("ban", "nothing"), ("edit", 1, "a and"), ("price", "sell", "a")],
)
def test_what_cannot_be_done_is_said_and_changes_nothing(bench, wrong):
    """A wrong number, an unknown column, half a rule: an error in words, and the draft stays."""
    before = bench.standing
    with pytest.raises(RulecgError):
        getattr(bench, wrong[0])(*wrong[1:])
    assert bench.standing == before
    assert not bench.edits


def test_banning_what_a_kept_rule_needs_is_refused(bench):
    """A kept rule and a ban that contradict each other are an error that names the rule."""
    bench.add("c and e")
    with pytest.raises(ConfigurationError, match="release it first"):
        bench.ban("c")
