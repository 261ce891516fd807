"""Files of any content: read, or refused with a sentence."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from benchmarks.campaign.attempts import Outcome, is_sentence, judge
from benchmarks.campaign.hostile_files import attempts
from rulecg.inputs.table_files import read_table
from rulecg.inputs.toml_files import read_toml
from rulecg.model.model_file import load_model
from rulecg_core import ConfigurationError

WORDS = st.sampled_from([*"a1,\n\"[]{}=:\x00é", "null", "1e999", "[fit]\n"])
CONTENT = st.one_of(st.binary(max_size=200), st.lists(WORDS, max_size=60).map(lambda words: "".join(words).encode()))


@pytest.mark.parametrize("read", [read_table, read_toml, load_model], ids=lambda read: read.__name__)
@settings(max_examples=100, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(content=CONTENT)
def test_any_bytes_are_read_or_refused(read, content, tmp_path):
    """Only errors of ours come out, whatever stands in the file."""
    path = tmp_path / "file"
    path.write_bytes(content)
    message = "It was read."
    try:
        read(path)
    except ConfigurationError as error:
        message = str(error)
    assert is_sentence(message)


def test_some_damage_is_survived_and_some_refused():
    """The attempts are neither all hopeless nor all harmless."""
    outcomes = {judge(attempt).outcome for attempt in attempts(12) if "values" in attempt.room or "CSV" in attempt.room}
    assert outcomes == {Outcome.RIGHT, Outcome.REFUSED}
