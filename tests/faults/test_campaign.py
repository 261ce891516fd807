"""A share of the campaign: every attempt ends in a right answer or in an error that says what to do."""

import pytest

from benchmarks.campaign.attempts import Attempt, Outcome, Tally, judge, spread
from benchmarks.campaign.rooms import ROOMS, chosen
from rulecg_core import ConfigurationError


# How long a fit takes, and what fits with a time limit give side by side, depends on the machine: for the long run.
@pytest.mark.parametrize("room", [room for room in ROOMS if room not in ("crowds", "limits")])
def test_no_attempt_of_a_room_goes_wrong(room):
    """No wrong answer, half-written file, hang or traceback."""
    tally = Tally()
    tally.add(chosen(room, is_long=False))
    assert tally.verdicts
    assert not [(verdict.attempt.name, verdict.message) for verdict in tally.wrong]


def test_the_long_run_is_as_long_as_the_docs_say():
    """At least 300 kinds of tables, 100 SIGINT, 50 SIGKILL."""
    assert len(chosen("tables", is_long=True)) >= 300
    names = [attempt.room for attempt in chosen("surroundings", is_long=True)]
    assert names.count("SIGINT at random moments") == 100
    assert names.count("SIGKILL at random moments") == 50


def _raises(error):
    def call(folder):
        raise error

    return Attempt("made up", repr(error), call)


@pytest.mark.parametrize(
    ("error", "outcome"),
    [
        (ConfigurationError("The table has no rows: give one with rows."), Outcome.REFUSED),
        (ConfigurationError("bad"), Outcome.WRONG),
        (ValueError("'list' object has no attribute 'notes'"), Outcome.WRONG),
        (KeyError("x"), Outcome.WRONG),
        (AssertionError("3 errors where one condition makes none"), Outcome.WRONG),
        (TypeError("int() argument must be a string"), Outcome.WRONG),
    ],
)
def test_the_judge_tells_sentences_from_faults(error, outcome):
    """Only an error of ours, written for people, counts as a refusal."""
    assert judge(_raises(error)).outcome is outcome


def test_a_share_is_spread_over_the_whole_table():
    """The first, and others at equal distances; all of them when there are few."""
    attempts = [_raises(KeyError(at)) for at in range(10)]
    assert [attempt.name for attempt in spread(attempts, 3)] == ["KeyError(0)", "KeyError(3)", "KeyError(6)"]
    assert spread(attempts, 99) == attempts
