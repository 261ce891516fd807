"""Shares of time: one kind of work keeps to its share of the time."""

from rulecg_search.time_shares import TimeShare


def test_turns_keep_to_a_share_that_falls_while_they_bring_nothing():
    """And that is whole again once they do."""
    turns = TimeShare(full=0.5, least=0.2, fall=0.5)
    turns.others = 10.0
    turns.spent = 9.0
    assert turns.is_due
    turns.spent = 11.0
    assert not turns.is_due
    turns.spent = 4.0
    turns.judge(brought_something=False)
    assert turns.share == 0.25
    assert not turns.is_due
    turns.judge(brought_something=False)
    assert turns.share == 0.2
    turns.judge(brought_something=True)
    assert turns.share == 0.5
