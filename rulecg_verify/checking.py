"""What is checked, in order, and in which words the claim then holds."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from .certificate_file import IntArray, Refused, read_certificate
from .conjunctions import within_reach
from .rule_sets import List, Search
from .table import BoolArray, Samples, read_samples

Rule = list[int]


@dataclass(frozen=True)
class Verdict:
    """What was checked, what it proves, and the rule set it is about."""

    checked: tuple[str, ...]
    claim: str
    rules: str


def verify(certificate: Path | str, table: Path | str) -> Verdict:
    """Check a certificate against a table; Refused says what it does not prove."""
    content = read_certificate(certificate)
    problem, claim, scale = content["described"]["problem"], content["claim"], content["root"]["scale"]
    samples = read_samples(content["described"], table)
    if samples.digest != content["hash"]:
        raise Refused("The hash is another one: the certificate is about other rows, conditions or limits.")
    if scale * int(samples.miss.sum() + samples.cover.sum()) >= 2**52:
        raise Refused("The stakes are too large for exact sums.")
    for rules, loss in ((claim["rules"], claim["loss"]), (claim["best"], claim["best_loss"])):
        _check_rules(rules, loss, problem["max_complexity"], samples)
    # The rule without conditions covers everything; with any other beside it, it costs no less than alone.
    if min(claim["best_loss"], int(samples.miss.sum()), int(samples.cover.sum())) < claim["bound"]:
        raise Refused("The best rule set, none at all, or the rule that covers everything has a loss below the bound.")
    covers, costs = _counted(content["list"], samples)
    sizes = np.array([1 + len(rule) for rule in content["list"]], dtype=np.int64)
    listed = List(covers, costs, sizes, samples.miss[samples.positives], claim["bound"], scale)
    search = Search(listed, content["nodes"])
    search.run(problem["max_complexity"], problem["max_conditions"])
    n_found = _check_list(content, samples)
    checked = (
        f"{samples.n_rows} rows, the conditions and the limits have the hash {samples.digest}",
        f"the rule set has a loss of {claim['loss']}, the best one that was met {claim['best_loss']}",
        f"all conjunctions were enumerated: {n_found} can be in a rule set with a loss below {claim['bound']}; "
        f"{len(costs)} of these are listed, {len(content['dominated'])} dominated, others replaced by the listed ones",
        f"no rule set made of the list has a loss below {claim['bound']}: {len(content['nodes'])} nodes, "
        f"{search.n_divisions} ways to divide the complexity, {search.n_pairs} pairs of rules",
    )
    return Verdict(checked, _claim(content["described"], claim), _text(content["described"], claim["rules"]))


def _counted(rules: list[Rule], samples: Samples) -> tuple[BoolArray, IntArray]:
    """Rules × positives, and what each rule costs by what else it covers."""
    covers = np.array([samples.holds[:, rule].all(axis=1) for rule in rules]).reshape(len(rules), len(samples.miss))
    costs = np.array([samples.cover[cover].sum() for cover in covers], dtype=np.int64)
    return covers[:, samples.positives], costs


def _check_rules(rules: list[Rule], loss: int, most: int, samples: Samples) -> None:
    """Recount a rule set's loss and size."""
    covers, costs = _counted(rules, samples)
    counted = int(costs.sum() + samples.miss[samples.positives][~covers.any(axis=0)].sum())
    complexity = len(rules) + sum(map(len, rules))
    if counted != loss or complexity > most:
        raise Refused(f"A rule set has a loss of {counted} and a complexity of {complexity}, not {loss} and {most}.")


def _check_list(content: dict[str, Any], samples: Samples) -> int:
    """Every conjunction that can be in a better rule set is listed, covers as a listed one, or is replaced by one."""
    claim, root, problem = content["claim"], content["root"], content["described"]["problem"]
    worth = np.zeros(len(samples.miss), dtype=np.int64)
    if len(root["positives"]) != len(samples.positives):
        raise Refused("The prices of positives are not one for each.")
    worth[samples.positives] = root["positives"]
    if (worth > root["scale"] * samples.miss).any():
        raise Refused("The price of a positive is more than missing it costs.")
    reach = (claim["bound"] - 1) * root["scale"] - int(worth.sum()) + root["size"] * problem["max_complexity"]
    # Below 0 the prices alone prove the bound, as long as no rule has a loss below 0.
    costs, known, n_found = root["scale"] * samples.cover, _known_sizes(content, samples), 0
    for rules, covers, losses in within_reach(
        samples, worth, costs, root["size"], problem["max_conditions"], max(reach, 0)
    ):
        if (losses < 0).any():
            raise Refused("The prices are not feasible: a rule has a loss below 0.")
        for rule, cover in zip(rules, covers, strict=True) if reach >= 0 else ():
            n_found += 1
            if known.get(cover.tobytes(), 1 + len(rule)) > len(rule) and not _has_idle_condition(rule, samples):
                names = " and ".join(" ".join(content["described"]["conditions"][at]) for at in rule)
                raise Refused(f"The list lacks a rule that could be in a better rule set: {names}.")
    return n_found


def _known_sizes(content: dict[str, Any], samples: Samples) -> dict[bytes, int]:
    """For the cover of every listed or dominated rule, its least number of conditions; dominance is checked."""
    used = np.concatenate([samples.positives, np.flatnonzero(samples.cover > 0)])
    known: dict[bytes, int] = {}
    for rule in content["list"] + [entry["rule"] for entry in content["dominated"]]:
        cover = np.packbits(samples.holds[used][:, rule].all(axis=1)).tobytes()
        known[cover] = min(len(rule), known.get(cover, len(rule)))
    for entry in content["dominated"]:
        rule, by = entry["rule"], content["list"][entry["by"]]
        covers, costs = _counted([rule, by], samples)
        lost = int(samples.miss[samples.positives][covers[0] & ~covers[1]].sum())
        if len(by) > len(rule) or costs[1] + lost > costs[0]:
            raise Refused("A rule is called dominated that the named one does not replace at no loss.")
    return known


def _has_idle_condition(rule: IntArray, samples: Samples) -> bool:
    """Whether without one of its conditions the rule costs the same: the shorter rule replaces it."""
    fails = ~samples.holds[:, rule][samples.cover > 0]
    return not bool((fails & (fails.sum(axis=1, keepdims=True) == 1)).any(axis=0).all())


def _claim(described: dict[str, Any], claim: dict[str, Any]) -> str:
    """What is proven, in words."""
    problem, is_dnf = described["problem"], described["problem"]["logic"] == "dnf"
    kind, one, covers = ("OR of ANDs", "rule", "covers") if is_dnf else ("AND of ORs", "clause", "denies")
    sides = [f"{problem['false_negative']} for each positive row", f"{problem['false_positive']} for each negative row"]
    missed, covered = sides if is_dnf else sides[::-1]
    return (
        f"No {kind} of these {len(described['conditions'])} conditions, with at most {problem['max_complexity']} "
        f"{one}s and conditions together and at most {problem['max_conditions']} conditions in a {one}, has a loss "
        f"below {claim['bound']} on these rows. The rule set below has {claim['loss']}, the best one that was met "
        f"{claim['best_loss']}. The loss counts {missed} that no {one} {covers} and, for every {one}, "
        f"{covered} that it {covers}{', by the weights of the rows' if described['weight'] else ''}."
    )


def _text(described: dict[str, Any], rules: list[Rule]) -> str:
    """The rule set, one line per rule."""
    inner, outer = (" AND ", "OR ") if described["problem"]["logic"] == "dnf" else (" OR ", "AND ")
    names = [" ".join(condition).strip() for condition in described["conditions"]]
    lines = [inner.join(names[at] for at in rule) or "(no condition)" for rule in rules]
    return ("\n" + outer).join(lines) or "(no rule)"
