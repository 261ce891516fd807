"""Schedules: changed by name or by file, and never by a mistake."""

import pytest
from attrs import evolve

from rulecg_core import ConfigurationError, Schedule
from rulecg_core.solve.schedule import setting_names
from rulecg_core.testing.master_contract import small_problem


def test_settings_change_what_they_name_and_nothing_else():
    """Nested settings reach their section; all others stay, and so does the schedule they are changed from."""
    plain = Schedule()
    changed = plain.with_settings({"large_samples": 7, "search": {"share": 0.5, "during_generation": False}})
    search = evolve(plain.search, share=0.5, during_generation=False)
    assert changed == evolve(plain, large_samples=7, search=search)
    assert plain == Schedule()
    assert plain.with_settings({}) == plain


def test_settings_are_read_from_toml(tmp_path):
    """Tables are sections; lists become tuples, and whole numbers serve where fractions are meant."""
    path = tmp_path / "schedule.toml"
    path.write_text("large_samples = 10\n[generation]\ntight_shares = [0.5, 1]\nshare = 1\n[proof]\nattempts = 5\n")
    schedule = Schedule.from_toml(path)
    assert schedule.large_samples == 10
    assert schedule.generation.tight_shares == (0.5, 1)
    assert schedule.generation.share == 1.0
    assert isinstance(schedule.generation.share, float)
    assert schedule.proof.attempts == 5


@pytest.mark.parametrize("text", [None, "large_samples = = 3", b"\xff\xfe"])
def test_a_file_that_cannot_be_read_is_named(tmp_path, text):
    """Missing, broken, or no text at all: the error has the file's name."""
    path = tmp_path / "schedule.toml"
    if text is not None:
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(ConfigurationError, match=r"schedule\.toml"):
        Schedule.from_toml(path)


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({"large_sample": 3}, "Did you mean 'large_samples'"),
        ({"search": {"shar": 0.1}}, "Did you mean 'share'"),
        ({"colour": 3}, "Known: large_samples"),
    ],
)
def test_unknown_names_are_refused(settings, told):
    """With the nearest name, or with all of them."""
    with pytest.raises(ConfigurationError, match="Unknown setting") as caught:
        Schedule().with_settings(settings)
    assert told in str(caught.value)


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({"large_samples": "many"}, "schedule.large_samples must be a number"),
        ({"large_samples": True}, "schedule.large_samples must be a number"),
        ({"large_samples": -1}, "at least 0"),
        ({"large_samples": float("nan")}, "at least 0"),
        ({"search": 0.5}, "schedule.search is a table"),
        ({"search": {"during_generation": 1}}, "schedule.search.during_generation is true or false"),
        ({"generation": {"tight_shares": 0.5}}, "schedule.generation.tight_shares is a list"),
        ({"generation": {"tight_shares": ["half"]}}, "schedule.generation.tight_shares must be a number"),
    ],
)
def test_values_of_another_type_are_refused(settings, told):
    """The error names the setting and says what it is."""
    with pytest.raises(ConfigurationError) as caught:
        Schedule().with_settings(settings)
    assert told in str(caught.value)


def test_every_setting_has_a_name_by_which_it_can_be_set():
    """The dotted names are all there is: setting each to what it is changes nothing."""
    names = setting_names()
    assert {"large_samples", "generation.share", "search.share", "selection.share_before_proof", "proof.longer"} <= {
        *names
    }
    assert len(set(names)) == len(names)
    plain = Schedule()
    for name in names:
        section, _, inner = name.rpartition(".")
        value = getattr(getattr(plain, section) if section else plain, inner)
        assert plain.with_settings({section: {inner: value}} if section else {inner: value}) == plain


def test_data_is_large_from_so_many_samples_on():
    """The threshold itself is large."""
    problem = small_problem(0)
    assert Schedule(large_samples=problem.n_samples).is_large(problem)
    assert not Schedule(large_samples=problem.n_samples + 1).is_large(problem)
