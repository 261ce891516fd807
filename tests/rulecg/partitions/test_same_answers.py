"""The same rules, objective and bound to the last bit: however rows are cut, whoever asks, whoever is killed."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from rulecg.partitions.fit import PackedSettings, fit_packed
from rulecg.partitions.manifest import Manifest
from rulecg.partitions.open_partition import RESIDENCE
from rulecg.partitions.run import Work
from rulecg_core import ConfigurationError, load_registry
from tests.rulecg.partitions.packed import packed, planted

pytest.importorskip("pyarrow")
N_ROWS = 100_000
WORK = Work(sampled=3_000, rounds=3, bound=3e7, bound_rounds=2)
SETTINGS = PackedSettings(
    max_complexity=10, max_conditions=3, memory_limit=1e6, work=WORK, constraints=["equality-of-opportunity:0.05"]
)


@pytest.fixture(scope="module")
def table():
    return planted(N_ROWS, n_columns=12)


@pytest.fixture(scope="module")
def in_seven(table, tmp_path_factory):
    return packed(table, tmp_path_factory.mktemp("seven"), 7).folder


def answer(folder, engine="local", settings=SETTINGS, say=None):
    """Everything that must not differ."""
    learned = fit_packed(folder, settings, engine=engine, say=say)
    (run,) = learned.result.runs.values()
    certificate = learned.model.certificate
    scores = learned.model.scores[0]
    return (
        run.rules, run.objective, run.lower_bound, run.relaxation, run.errors, str(learned.model.rule_set),
        certificate.text, scores.support.tolist(), scores.right.tolist(), run.pool,
    )  # fmt: skip


@pytest.fixture(scope="module")
def wanted(in_seven):
    return answer(in_seven)


def test_the_planted_rules_are_found_with_a_bound(wanted):
    """What all answers below are equal to is worth something: the planted rules, and a bound that is below them."""
    assert {"x0 and x2", "x1 and x3 and x5"} <= {line.removeprefix("or ") for line in
                                                map(str.strip, wanted[5].splitlines())}  # fmt: skip
    assert 0 < wanted[2] <= wanted[1]


@pytest.mark.parametrize("n_partitions", [1, 2, 64])
def test_partitions_do_not_matter(table, wanted, n_partitions, tmp_path):
    """One file or sixty-four, with the rows in another order: nothing differs, and one partition at a time is open."""
    shuffled = table.iloc[np.random.default_rng(n_partitions).permutation(len(table))].reset_index(drop=True)
    manifest = packed(shuffled, tmp_path, n_partitions)
    assert len(manifest.partitions) == n_partitions
    RESIDENCE.peak = 0
    assert answer(manifest.folder) == wanted
    assert RESIDENCE.peak == 1


def test_threads_do_not_matter(in_seven, wanted):
    """Three threads add up what one does."""
    assert answer(in_seven, "local:threads=3") == wanted


class Killing:
    """An engine on a cluster, of which a worker is killed in the middle of two questions."""

    def __init__(self, engine):
        self.engine, self.calls, self.killed = engine, 0, []

    def map(self, function, partitions):
        self.calls += 1
        answers = self.engine.map(function, partitions)
        for number, found in enumerate(answers):
            if number == 0 and self.calls in (3, 8):
                pid = next(iter(self.engine.client.run(os.getpid).values()))
                os.kill(pid, signal.SIGKILL)
                self.killed.append(pid)
            yield found

    def shutdown(self):
        self.engine.shutdown()


@pytest.mark.parametrize("workers", [1, 2])
def test_a_cluster_gives_the_same_answer(in_seven, wanted, workers):
    """Workers of a real local cluster; with two of them one is killed in the middle of a question, twice."""
    pytest.importorskip("distributed")
    engine = load_registry().engine(f"dask:workers={workers}")
    try:
        asked = Killing(engine) if workers == 2 else engine
        assert answer(in_seven, asked) == wanted
        assert workers == 1 or len(set(asked.killed)) == 2
    finally:
        engine.shutdown()


def test_a_flipped_bit_is_refused(table, tmp_path):
    """One bit of one file that is not what was packed, and nothing is learned from it."""
    manifest = packed(table.iloc[:2_000], tmp_path, 2)
    path = Path(manifest.partitions[1].path)
    content = bytearray(path.read_bytes())
    content[len(content) // 3] ^= 4
    path.write_bytes(content)
    with pytest.raises(ConfigurationError, match="checksum"):
        fit_packed(manifest.folder, SETTINGS)


def test_a_killed_driver_goes_on_where_it_was(in_seven, wanted, tmp_path):
    """A process that is killed after a round leaves a checkpoint from which another one comes to the same answer."""
    kept = tmp_path / "run.json"
    code = (
        "from tests.rulecg.partitions.test_same_answers import SETTINGS\n"
        "from attrs import evolve\n"
        "from rulecg.partitions.fit import fit_packed\n"
        f"fit_packed({str(in_seven)!r}, evolve(SETTINGS, checkpoint={str(kept)!r}))\n"
    )
    root = Path(__file__).parents[3]
    driver = subprocess.Popen([sys.executable, "-c", code], cwd=root)
    while not kept.exists() and driver.poll() is None:
        time.sleep(0.01)
    driver.kill()
    driver.wait()
    assert kept.exists()
    said = []
    settings = PackedSettings(**{**_settings(), "checkpoint": kept, "resume": True})
    assert answer(in_seven, settings=settings, say=said.append) == wanted
    assert any(sentence.startswith("going on after round") for sentence in said)


def test_a_checkpoint_of_another_task_is_refused(in_seven, tmp_path):
    """Other settings than those of the checkpoint would give an answer to another question."""
    kept = tmp_path / "run.json"
    quick = {**_settings(), "work": Work(sampled=500, rounds=1, bound=0), "checkpoint": kept}
    fit_packed(in_seven, PackedSettings(**quick))
    with pytest.raises(ConfigurationError, match="other settings"):
        fit_packed(in_seven, PackedSettings(**{**quick, "max_complexity": 4, "resume": True}))


def test_rows_that_fit_into_memory_are_learned_from_there(table, tmp_path):
    """With enough memory the answer is proven as in memory."""
    manifest = packed(table.iloc[:5_000].drop(columns=[f"x{at}" for at in range(6, 12)]), tmp_path, 5)
    said = []
    settings = PackedSettings(max_complexity=8, max_conditions=3)
    learned = fit_packed(manifest, settings, say=said.append)
    assert learned.result.status == "optimal"
    assert "fit into memory" in said[0]
    assert Manifest.load(manifest.folder).n_rows == 5_000


def _settings():
    names = ("max_complexity", "max_conditions", "memory_limit", "work", "constraints")
    return {name: getattr(SETTINGS, name) for name in names}
