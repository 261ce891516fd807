"""Ctrl-C: the wish to end is kept even where the exception is lost, and the old handler comes back."""

import os
import signal
import threading
import time

import pytest

from rulecg_core.base import interrupts
from rulecg_core.base.interrupts import Interrupts


@pytest.fixture(autouse=True)
def default_handler():
    """Python's own handler, whatever the test runner has."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def press_ctrl_c():
    os.kill(os.getpid(), signal.SIGINT)


def test_the_halt_is_set_before_the_exception():
    """Somebody who swallows the exception does not swallow the wish."""
    halt = threading.Event()
    with Interrupts(halt):
        with pytest.raises(KeyboardInterrupt):
            press_ctrl_c()
        assert halt.is_set()


def test_the_old_handler_comes_back():
    """Afterwards Ctrl-C is what it was, also when the block ended with an error."""
    halt = threading.Event()
    with pytest.raises(ZeroDivisionError), Interrupts(halt):
        1 / 0  # noqa: B018 - the error is the point
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    with pytest.raises(KeyboardInterrupt):
        press_ctrl_c()
    assert not halt.is_set()


def test_somebody_elses_handler_is_left_alone():
    """A program that handles the signal itself goes on doing so."""
    heard = []
    signal.signal(signal.SIGINT, lambda number, frame: heard.append(number))
    halt = threading.Event()
    with Interrupts(halt):
        press_ctrl_c()
    assert heard == [signal.SIGINT]
    assert not halt.is_set()


def test_other_threads_change_nothing():
    """Only the main thread may set handlers: elsewhere the block is no error."""
    inside = []

    def work():
        with Interrupts(threading.Event()):
            inside.append(signal.getsignal(signal.SIGINT))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert inside == [signal.default_int_handler]


def test_an_interrupt_that_was_forgotten_comes_again(monkeypatch):
    """Raised once and swallowed, it is raised again a little later; once it was heard it is not."""
    monkeypatch.setattr(interrupts, "AGAIN", 0.05)
    signal.signal(signal.SIGINT, interrupts.come_again)
    with pytest.raises(KeyboardInterrupt):
        press_ctrl_c()
    with pytest.raises(KeyboardInterrupt):
        time.sleep(20)
    interrupts.come_no_more()
    time.sleep(0.3)


def test_during_a_run_a_forgotten_interrupt_sets_the_halt(monkeypatch):
    """It comes again in the run, which ends early; afterwards Ctrl-C is Python's own."""
    monkeypatch.setattr(interrupts, "AGAIN", 0.05)
    signal.signal(signal.SIGINT, interrupts.come_again)
    with pytest.raises(KeyboardInterrupt):
        press_ctrl_c()
    halt = threading.Event()
    with pytest.raises(KeyboardInterrupt), Interrupts(halt):
        time.sleep(20)
    assert halt.is_set()
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
