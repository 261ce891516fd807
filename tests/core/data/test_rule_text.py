"""Rules as people read them: nothing implied, nothing repeated, and never a different meaning."""

import html.parser

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rulecg_core import Condition, RuleSet
from rulecg_core.data.phrases import Interval, Is, OneOf
from rulecg_core.data.rule_text import clause_text, simplified, visible


def test_intervals_are_merged_and_implied_conditions_left_out():
    """Of several bounds on a column only the tightest count, and two sides become one interval."""
    clause = [
        Condition("age", ">", 23),
        Condition("age", "<=", 50),
        Condition("age", "<=", 45),
        Condition("age", "present"),
        Condition("job", "!=", "nurse"),
        Condition("job", "!=", "cook"),
    ]
    assert clause_text(clause) == "23 < age <= 45 and job not in {nurse, cook}"


def test_cnf_reads_as_the_and_of_ors_that_it_is():
    """Alternatives of one clause are joined by or, in brackets when there are several clauses."""
    rules = RuleSet.of(
        [
            [Condition("job", "==", "nurse"), Condition("job", "==", "cook"), Condition("age", ">", 30)],
            [Condition("age", "<=", 60), Condition("age", "<=", 50)],
            [Condition("age", "<=", 60)],
        ],
        logic="cnf",
        outcome="hired",
    )
    assert str(rules) == "hired if\n  (job in {nurse, cook} or age > 30)\n  and age <= 60"


def test_rules_that_never_have_a_say_are_left_out():
    """A rule that contradicts itself and a repeated rule add nothing; one that always holds says it all."""
    impossible = [Condition("age", ">", 9), Condition("age", "<=", 3)]
    plain = [Condition("age", ">", 9)]
    assert str(RuleSet.of([impossible, plain, plain])) == "positive if\n  age > 9"
    assert str(RuleSet.of([impossible])) == "never positive"
    assert str(RuleSet.of([plain, []])) == "always positive"
    assert str(RuleSet.of([[Condition("x", "missing"), Condition("x", "present")]], logic="cnf")) == "always positive"


CONDITIONS = st.one_of(
    st.builds(Condition, st.just("n"), st.sampled_from(["<=", ">", "==", "!="]), st.integers(0, 3)),
    st.builds(Condition, st.just("n"), st.sampled_from(["missing", "present"])),
    st.builds(Condition, st.just("c"), st.sampled_from(["==", "!="]), st.sampled_from(["a", "b", "c"])),
    st.builds(Condition, st.just("c"), st.sampled_from(["missing", "present"])),
    st.builds(Condition, st.just("t"), st.sampled_from(["true", "false", "missing", "present"])),
)
EVERY_ROW = pd.DataFrame(
    [(n, c, t) for n in (None, 0, 0.5, 1, 2, 3, 4) for c in (None, "a", "b", "c", "d") for t in (None, True, False)],
    columns=["n", "c", "t"],
)
EVERY_ROW["n"] = EVERY_ROW["n"].astype(float)
EVERY_ROW["t"] = EVERY_ROW["t"].astype(object)


def says(phrase):
    """Which rows a phrase describes, computed without the conditions it came from."""
    column = EVERY_ROW[phrase.column]
    known = column.notna()
    match phrase:
        case Interval(_, low, high):
            return known & (column > (-np.inf if low is None else low)) & (column <= (np.inf if high is None else high))
        case OneOf(_, values, negated):
            return known & (column.isin(values) != negated)
        case Is(_, "missing"):
            return ~known
        case Is(_, "known"):
            return known
        case Is(_, state):
            return known & (column == (state == "true"))


@settings(deadline=None)
@given(st.lists(CONDITIONS, max_size=6), st.sampled_from(["dnf", "cnf"]))
def test_simplified_rules_mean_the_same(clause, logic):
    """On every kind of row the simplified phrases hold exactly where the rule holds."""
    covered = RuleSet.of([clause], logic=logic).covers(EVERY_ROW)[:, 0]
    phrases = simplified(clause, logic)
    if isinstance(phrases, bool):
        described = np.full(len(EVERY_ROW), phrases)
    else:
        described = np.logical_and.reduce if logic == "dnf" else np.logical_or.reduce
        described = described([says(phrase) for phrase in phrases])
    assert described.tolist() == covered.tolist()


class Tags(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.found = set()

    def handle_starttag(self, tag, attrs):
        self.found.add(tag)


@settings(deadline=None)
@given(st.text(max_size=30), st.text(max_size=30), st.text(max_size=30))
def test_nothing_from_the_data_becomes_markup(name, value, outcome):
    """Names, categories and outcomes are text in notebooks, whatever they contain."""
    rules = RuleSet.of([[Condition(name, "==", value)], [Condition(name, "missing")]], outcome=outcome)
    parser = Tags()
    parser.feed(rules._repr_html_())
    assert parser.found <= {"div", "b", "ul", "li", "span"}


@pytest.mark.parametrize("text", ["\u202eevil", "a\u2066b", "line\nbreak", "\x1b[31mred", "zero\u200bwidth"])
def test_invisible_and_direction_changing_characters_are_spelled_out(text):
    """Nobody is shown a rule in another order than it has, and terminals get no control codes."""
    shown = str(RuleSet.of([[Condition(text, "==", text)]], outcome=text))
    assert text not in shown
    assert visible(text) in shown.replace("\\\\", "\\")


def test_very_long_names_are_cut():
    """A name of a million letters does not flood the screen."""
    assert len(str(RuleSet.of([[Condition("x" * 10**6)]]))) < 300


def test_latex_and_markdown_escape_their_special_characters():
    """Underscores, percent signs and pipes come out as themselves."""
    rules = RuleSet.of([[Condition("debt_ratio%", "<=", 0.45), Condition("a|b", "==", "x_y")]], outcome="o_k & fine")
    assert r"\textit{debt\_ratio\%} $\leq$ 0.45 \textbf{and} \textit{a\textbar{}b} $=$ x\_y" in rules.to_latex()
    assert r"\textbf{o\_k \& fine} if" in rules.to_latex()
    assert r"- **debt\_ratio%** ≤ 0.45 *and* **a&#124;b** = x\_y" in rules.to_markdown()
