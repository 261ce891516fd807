"""Progress tells what happens, and does not contradict itself."""

import io

from rulecg.estimators.shown.live import LiveState
from rulecg.estimators.shown.progress import PlainLines
from rulecg_core import Rule
from rulecg_core.base.events import Finished, IncumbentFound
from rulecg_core.base.status import Status, Stop

FOUND = IncumbentFound(0.1, 1498.0, (Rule((0,)),), "local search")


def ended(objective):
    return Finished(0.3, Status.LP_OPTIMAL, Stop.COMPLETED, objective, 1400.0, 41)


def test_an_end_that_is_worse_than_the_best_told_is_explained():
    """A rule set that breaks a bound in true counts was told of; the end says why it is not the answer."""
    stream, state = io.StringIO(), LiveState()
    for listen in (PlainLines(1, "", stream), state):
        listen(FOUND)
        listen(ended(1500.0))
    assert "done: objective 1500" in stream.getvalue()
    assert "the rule set with 1498 told of before does not keep every bound" in stream.getvalue()
    assert any("1498" in note for note in state.notes)


def test_an_end_with_the_best_told_needs_no_words():
    """Nothing is explained where there is nothing to explain."""
    stream = io.StringIO()
    lines = PlainLines(1, "", stream)
    lines(FOUND)
    lines(ended(1498.0))
    assert "told of before" not in stream.getvalue()
