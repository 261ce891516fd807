"""Certificates hold what was proven, and the checker finds it true; brute force is the judge."""

import tempfile

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rulecg import RuleSetClassifier
from rulecg_core import ConfigurationError
from rulecg_core.certificates import list_nodes
from rulecg_verify import Refused, verify
from rulecg_verify.certificate_file import read_certificate

from .small_tables import certified, content_of, least_loss, noisy_table, random_table, rewritten, samples_of, with_gap


@given(
    seed=st.integers(0, 10_000),
    logic=st.sampled_from(["dnf", "cnf"]),
    complexity=st.integers(1, 7),
    max_conditions=st.integers(1, 3),
    costs=st.sampled_from([None, {"fp": 2, "fn": 3}, {"fp": 0.5, "fn": 1}]),
    weighted=st.booleans(),
    noisy=st.booleans(),
)
@settings(max_examples=15, deadline=None)
def test_what_is_proven_is_the_optimum_by_brute_force(seed, logic, complexity, max_conditions, costs, weighted, noisy):
    """Every certificate of a proven fit is accepted, and trying all rule sets finds nothing better."""
    data, labels = noisy_table(seed) if noisy else random_table(seed)
    weights = np.random.default_rng(seed).integers(1, 60, len(data)) if weighted else None
    with tempfile.TemporaryDirectory() as folder:
        model, proof, table = certified(
            folder, data, labels, weights=weights, logic=logic, max_complexity=complexity,
            max_conditions=max_conditions, costs=costs,
        )  # fmt: skip
        assert model.result_.status == "optimal"
        verdict = verify(proof, table)
        content = content_of(proof)
        truth = least_loss(samples_of(content["described"], table), max_conditions, complexity)
    assert content["claim"]["bound"] == content["claim"]["best_loss"] == truth
    assert f"below {truth} " in verdict.claim


@pytest.mark.parametrize("few", [0, 10**9])
def test_lists_and_nodes_below_nodes_are_checked(tmp_path, monkeypatch, few):
    """A proof with up to five rules to a set is accepted, with prices of its own at every turn or at none."""
    monkeypatch.setattr(list_nodes, "FEW_RULES", few)
    monkeypatch.setattr(list_nodes, "FEW_PAIRS", few)
    content, proof, table = with_gap(tmp_path, n_rows=120, max_complexity=11, max_conditions=3)
    assert any(node["chosen"] for node in content["nodes"]) == (few == 0)
    assert max(len(node["sizes"]) for node in content["nodes"]) > 3
    assert verify(proof, table)
    content["claim"]["bound"] += 1
    with pytest.raises(Refused):
        verify(rewritten(content, tmp_path / "higher.json.gz", table), table)


def test_no_mutant_proves_what_is_false(tmp_path):
    """One number, text or entry changed and the hash recomputed: refused, or true by brute force."""
    content, _, table = with_gap(tmp_path)
    path, accepted = tmp_path / "mutant.json.gz", 0
    for seed in range(250):
        mutant = mutated(content, np.random.default_rng(seed))
        try:
            read_certificate(rewritten(mutant, path))
            verify(rewritten(mutant, path, table), table)
        except Refused:
            continue
        accepted += 1
        problem, samples = mutant["described"]["problem"], samples_of(mutant["described"], table)
        truth = least_loss(samples, problem["max_conditions"], problem["max_complexity"])
        assert mutant["claim"]["bound"] <= truth, seed
    assert 0 < accepted < 125


def mutated(content, rng):
    """The content with one leaf changed or one entry of a list dropped."""
    from copy import deepcopy

    content = deepcopy(content)
    holder, key = content, str(rng.choice(["described", "claim", "root", "list", "nodes"]))
    while isinstance(holder[key], (dict, list)) and len(holder[key]):
        holder = holder[key]
        key = str(rng.choice(sorted(holder))) if isinstance(holder, dict) else int(rng.integers(len(holder)))
        if isinstance(holder, list) and rng.random() < 0.2:
            del holder[key]
            return content
    value = holder[key]
    if isinstance(value, int):
        holder[key] = int(rng.choice([value + 1, value - 1, 0, 2 * value, value + 1024]))
    elif isinstance(value, str):
        holder[key] = {"<=": ">", ">": "<=", "dnf": "cnf", "cnf": "dnf", "==": "!=", "!=": "=="}.get(value, value + "1")
    return content


@pytest.mark.parametrize("kind", ["list", "nodes"])
def test_a_dropped_entry_is_refused(tmp_path, kind):
    """Without any one of its listed rules or nodes the certificate proves nothing."""
    content, _, table = with_gap(tmp_path)
    content["dominated"] = []
    for at in range(len(content[kind])):
        without = {**content, kind: content[kind][:at] + content[kind][at + 1 :]}
        with pytest.raises(Refused):
            verify(rewritten(without, tmp_path / "mutant.json.gz"), table)


def test_a_dropped_changed_or_doubled_row_is_refused(tmp_path):
    """The certificate is about all rows of the table, in any order."""
    data, labels = random_table(6)
    _, proof, table = certified(tmp_path, data, labels)
    header, *rows = table.read_text().splitlines()
    other = tmp_path / "other.csv"
    other.write_text("\n".join([header, *rows[::-1]]) + "\n")
    assert verify(proof, other)
    for at in range(len(rows)):
        for lines in (rows[:at] + rows[at + 1 :], [*rows, rows[at]]):
            other.write_text("\n".join([header, *lines]) + "\n")
            with pytest.raises(Refused, match="other rows"):
                verify(proof, other)


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"loss": "01"}, "Hamming loss only"),
        ({"constraints": ["equalized-odds:0.1"]}, "bounds on complexity only"),
        ({"teacher": "forest"}, "stakes that the table shows"),
    ],
)
def test_what_is_not_covered_says_so_and_writes_nothing(tmp_path, settings, sentence):
    """Before any work is done a sentence names what certificates do not cover."""
    data, labels = random_table(1)
    with pytest.raises(ConfigurationError, match=sentence):
        RuleSetClassifier(**settings).fit(data, labels, certificate=str(tmp_path / "proof.json.gz"))
    assert not list(tmp_path.iterdir())
