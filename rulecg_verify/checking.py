"""What is checked, in order, and in which words the claim then holds."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from .certificate_file import Certificate, IntArray, Refused, read_certificate
from .conjunctions import ByteArray, Prices, within_reach
from .rule_sets import List, Search
from .table import Samples, read_samples


@dataclass(frozen=True)
class Verdict:
    """What was checked, and what it proves."""

    checked: tuple[str, ...]
    claim: str
    rules: str
    loss: int
    bound: int


def verify(certificate: Path | str, table: Path | str) -> Verdict:
    """Check a certificate against a table; Refused says what it does not prove."""
    return check(read_certificate(certificate), table)


def check(certificate: Certificate, table: Path | str) -> Verdict:
    """Check what a certificate says."""
    samples = read_samples(certificate, table)
    if samples.digest != certificate.digest:
        raise Refused("The hash is another one: the certificate is about other rows, conditions or limits.")
    said = [
        f"{samples.n_rows} rows and {len(certificate.conditions)} conditions have the hash {samples.digest[:16]}…",
        _checked_rules(certificate, samples),
    ]
    # The rule without conditions covers everything; with any other beside it, it costs no less than alone.
    if min(int(samples.miss.sum()), int(samples.cover.sum())) < certificate.bound:
        raise Refused("No rule at all, or the rule that covers everything, has a loss below the bound.")
    said.append(_checked_list(certificate, samples))
    covers, costs = _covers(certificate.listed, samples)
    listed = List(
        covers, costs, np.array([len(rule) + 1 for rule in certificate.listed], dtype=np.int64),
        samples.miss[samples.positives], certificate.bound, certificate.scale,
    )  # fmt: skip
    search = Search(listed, certificate.nodes)
    n_divisions = search.run(certificate.max_complexity, certificate.max_conditions)
    said.append(
        f"no rule set made of the list has a loss below {certificate.bound}: {len(certificate.nodes)} nodes, "
        f"{n_divisions} ways to divide the complexity, {search.n_pairs} pairs of rules tried"
    )
    return Verdict(tuple(said), _claim(certificate), _text(certificate), certificate.loss, certificate.bound)


def _covers(rules: tuple[tuple[int, ...], ...], samples: Samples) -> tuple[np.ndarray, IntArray]:
    """Rules × positives, and what each rule costs by what else it covers."""
    covers = np.empty((len(rules), len(samples.positives)), dtype=bool)
    costs = np.empty(len(rules), dtype=np.int64)
    for place, rule in enumerate(rules):
        covered = samples.holds[:, list(rule)].all(axis=1)
        covers[place], costs[place] = covered[samples.positives], samples.cover[covered].sum()
    return covers, costs


def _checked_rules(certificate: Certificate, samples: Samples) -> str:
    """Recount the rule set's loss and size."""
    rules = certificate.rules
    covers, costs = _covers(rules, samples)
    loss = int(costs.sum()) + int(samples.miss[samples.positives][~covers.any(axis=0)].sum())
    complexity = len(rules) + sum(map(len, rules))
    if loss != certificate.loss or complexity > certificate.max_complexity:
        raise Refused(
            f"The rule set has a loss of {loss} and a complexity of {complexity}, not {certificate.loss} and at most "
            f"{certificate.max_complexity}."
        )
    if certificate.bound > certificate.loss:
        raise Refused("The bound is above the loss of the rule set.")
    return f"the rule set has a loss of {loss} and a complexity of {complexity}"


def _checked_list(certificate: Certificate, samples: Samples) -> str:
    """Every conjunction that can be in a better rule set is listed, covers as a listed one, or is dominated by one."""
    miss = samples.miss[samples.positives]
    if len(certificate.positives) != len(miss) or (certificate.positives > certificate.scale * miss).any():
        raise Refused("The prices of positives are not one for each, at most what missing it costs.")
    if certificate.scale * int(samples.miss.sum() + samples.cover.sum()) >= 2**52:
        raise Refused("The stakes are too large for exact sums.")
    at_most = int(certificate.positives.sum()) - certificate.per_size * certificate.max_complexity
    reach = (certificate.bound - 1) * certificate.scale - at_most
    worth = np.zeros(len(samples.miss), dtype=np.int64)
    worth[samples.positives] = certificate.positives
    # Below 0 the prices alone prove the bound, as long as no rule has a loss below 0.
    prices = Prices(worth, certificate.scale * samples.cover, certificate.per_size, certificate.max_conditions, max(reach, 0))
    known = _known_sizes(certificate, samples)
    n_found = 0
    for found in within_reach(samples, prices):
        if (found.losses < 0).any():
            raise Refused("The prices are not feasible: a rule has a loss below 0.")
        if reach < 0:
            continue
        n_found += len(found.losses)
        for rule, cover in zip(found.conditions, found.covers, strict=True):
            if known.get(cover.tobytes(), 1 + len(rule)) > len(rule) and not _has_idle_condition(rule, samples):
                names = " and ".join(str(certificate.conditions[place]) for place in rule)
                raise Refused(f"The list lacks a rule that could be in a better rule set: {names}.")
    return (
        f"of all conjunctions of 1 to {certificate.max_conditions} conditions, {n_found} can be in a better rule set: "
        f"{len(certificate.listed)} are listed, others cover as these or are among {len(certificate.dominated)} that "
        "a listed one dominates"
    )


def _known_sizes(certificate: Certificate, samples: Samples) -> dict[bytes, int]:
    """For the cover of every listed or dominated rule, its least number of conditions; dominance is checked."""
    rules = [*certificate.listed, *(rule for rule, _ in certificate.dominated)]
    used = (samples.miss > 0) | (samples.cover > 0)
    known: dict[bytes, int] = {}
    for rule in rules:
        cover = np.packbits(samples.holds[used][:, list(rule)].all(axis=1)).tobytes()
        known[cover] = min(len(rule), known.get(cover, len(rule)))
    for rule, place in certificate.dominated:
        by = certificate.listed[place]
        covers, costs = _covers((rule, by), samples)
        lost = int(samples.miss[samples.positives][covers[0] & ~covers[1]].sum())
        if len(by) > len(rule) or costs[1] + lost > costs[0]:
            raise Refused("A rule is called dominated that the named one does not replace at no loss.")
    return known


def _has_idle_condition(rule: IntArray, samples: Samples) -> bool:
    """Whether without one of its conditions the rule costs the same: the shorter rule replaces it."""
    fails = ~samples.holds[samples.cover > 0][:, rule]
    only = fails & (fails.sum(axis=1, keepdims=True) == 1)
    return not bool(only.any(axis=0).all())


def _claim(certificate: Certificate) -> str:
    """What is proven, in words."""
    kind = "OR of ANDs" if certificate.logic == "dnf" else "AND of ORs"
    fn, fp = certificate.false_negative, certificate.false_positive
    missed, covered = ("positive", "negative") if certificate.logic == "dnf" else ("negative", "positive")
    costs = (fn, fp) if certificate.logic == "dnf" else (fp, fn)
    optimal = " It is optimal." if certificate.loss == certificate.bound else ""
    return (
        f"No {kind} of these {len(certificate.conditions)} conditions, with at most {certificate.max_complexity} rules "
        f"and conditions together and at most {certificate.max_conditions} conditions in a rule, has a Hamming loss "
        f"below {certificate.bound} on these rows; the rule set has {certificate.loss}.{optimal} The Hamming loss "
        f"counts {costs[0]} for each {missed} row that no rule covers and, for every rule, {costs[1]} for each "
        f"{covered} row that it covers" + ("." if certificate.logic == "dnf" else ", where a clause covers what it makes false.")
    )


def _text(certificate: Certificate) -> str:
    """The rule set, one line per rule."""
    inner, outer = (" AND ", "OR ") if certificate.logic == "dnf" else (" OR ", "AND ")
    lines = [inner.join(str(certificate.conditions[at]) for at in rule) or "always" for rule in certificate.rules]
    return ("\n" + outer).join(lines) or ("never" if certificate.logic == "dnf" else "always")
