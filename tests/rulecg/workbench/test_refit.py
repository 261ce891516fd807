"""Learning again near an earlier model: what must stay stays, the rest is best, and the model says what changed."""

from itertools import combinations

import numpy as np
import pytest

from rulecg import RuleSetClassifier, load_model, save_model
from rulecg.commands.cli import main
from rulecg.commands.common.exit_codes import WRONG_INPUT
from rulecg.workbench.standing import same
from rulecg_core import ConfigurationError

SETTINGS = {"max_complexity": 9, "max_conditions": 2, "binarizer": "deciles", "time_limit": 30}


@pytest.fixture(scope="module")
def changed(rows):
    """The same columns, but another rule holds."""
    table, _ = rows
    rng = np.random.default_rng(11)
    return ((table["a"] & table["b"]) | (table["d"] & table["e"])).to_numpy() ^ (rng.random(len(table)) < 0.1)


@pytest.fixture(scope="module")
def earlier(rows):
    return RuleSetClassifier(**SETTINGS).fit(*rows)


def unchanged(old, new):
    return [rule for rule in old.rule_set_.clauses() if any(same(rule, other) for other in new.rule_set_.clauses())]


def test_a_share_of_the_rules_stays_and_the_rest_is_the_best(rows, changed, earlier):
    """With keep, at least that share of the old rules is there, and the objective is the least over all ways to keep
    so many, each solved to proof by a fit of its own."""
    table, _ = rows
    old = earlier.rule_set_.clauses()
    least = int(np.ceil(0.5 * len(old)))
    new = RuleSetClassifier(**SETTINGS).fit(table, changed, previous=earlier, keep=0.5)
    best = min(
        RuleSetClassifier(**SETTINGS, keep=list(kept)).fit(table, changed).result_.objective
        for kept in combinations(old, least)
    )
    assert len(unchanged(earlier, new)) >= least
    assert new.result_.objective == best
    assert (new.predict(table) == new.rule_set_.predict(table)).all()


def test_all_rules_stay_when_all_must(rows, changed, earlier):
    """With keep=1 every old rule is there."""
    new = RuleSetClassifier(**SETTINGS).fit(rows[0], changed, previous=earlier.model_, keep=1.0)
    assert len(unchanged(earlier, new)) == len(earlier.rule_set_)


def test_a_rule_changes_only_where_that_pays(rows, changed, earlier):
    """A cost that nothing pays keeps every rule; without a cost the objective is that of a free fit."""
    table, _ = rows
    dear = RuleSetClassifier(**SETTINGS).fit(table, changed, previous=earlier, change_cost=1e6)
    free = RuleSetClassifier(**SETTINGS).fit(table, changed, previous=earlier, change_cost=0)
    assert len(unchanged(earlier, dear)) == len(earlier.rule_set_)
    assert free.result_.objective == RuleSetClassifier(**SETTINGS).fit(table, changed).result_.objective


def test_the_model_says_what_changed_and_why(rows, changed, earlier):
    """Each rule given up and each rule added has a step with the objectives that explain it."""
    table, _ = rows
    new = RuleSetClassifier(**SETTINGS).fit(table, changed, previous=earlier, keep=0.0)
    commands = [edit.command for edit in new.model_.edits]
    kept = len(unchanged(earlier, new))
    assert commands[0] == "the earlier rules on these rows"
    assert sum(command.startswith("gave up") for command in commands) == len(earlier.rule_set_) - kept
    assert sum(command.startswith("added") for command in commands) == len(new.rule_set_) - kept
    assert commands[-1] == f"kept {kept} of {len(earlier.rule_set_)} rules"
    wrong = int((earlier.predict(table) != changed).sum())
    assert new.model_.edits[0].errors == wrong


def test_many_rules_are_given_up_one_by_one(rows, changed, earlier, monkeypatch):
    """Where there are too many choices the share stays kept all the same."""
    from rulecg.workbench import refit

    monkeypatch.setattr(refit, "MOST_TRIED", 0)
    new = RuleSetClassifier(**SETTINGS).fit(rows[0], changed, previous=earlier, keep=0.5)
    assert len(unchanged(earlier, new)) >= 0.5 * len(earlier.rule_set_)


@pytest.mark.parametrize("wrong", [{}, {"keep": 0.5, "change_cost": 1}, {"keep": 2}, {"change_cost": -1}])
def test_settings_that_mean_nothing_are_refused(rows, earlier, wrong):
    """Neither, both, or values out of range: an error that says what to give."""
    with pytest.raises(ConfigurationError):
        RuleSetClassifier(**SETTINGS).fit(*rows, previous=earlier, **wrong)


def test_keep_without_an_earlier_model_is_refused(rows):
    """keep in fit needs previous."""
    with pytest.raises(ConfigurationError, match="previous"):
        RuleSetClassifier(**SETTINGS).fit(*rows, keep=0.5)


def test_the_command_line_learns_again_near_a_model_file(rows, changed, earlier, tmp_path, capsys):
    """``rulecg fit --previous --keep 1`` keeps every rule, prints what changed, and the report shows it."""
    table, _ = rows
    old, data, out, page = (tmp_path / name for name in ("old.json", "data.csv", "new.json", "page.html"))
    save_model(earlier, old, data=table, target="label")
    table.assign(label=changed).to_csv(data, index=False)
    words = ["fit", str(data), "--target", "label", "--max-complexity", "9", "--max-conditions", "2", "--quiet"]
    assert main([*words, "--previous", str(old), "--keep", "1", "--out", str(out)]) == 0
    assert "kept 2 of 2 rules" in capsys.readouterr().out
    new = load_model(out)
    assert all(any(same(rule, each) for each in new.rule_set.clauses()) for rule in earlier.rule_set_.clauses())
    assert main(["report", str(out), str(data), "--out", str(page)]) == 0
    assert "kept 2 of 2 rules" in page.read_text(encoding="utf-8")
    assert main([*words, "--keep", "0.9"]) == WRONG_INPUT
