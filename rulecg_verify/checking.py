"""What is checked, in order, and in which words the claim then holds."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from .certificate_file import IntArray, Refused, read_certificate
from .conjunctions import within_reach
from .rule_sets import Search
from .table import Samples, merged, read_texts


@dataclass(frozen=True)
class Verdict:
    """What was checked, and what it proves about which rule set."""

    checked: tuple[str, ...]
    claim: str


def verify(certificate: Path | str, table: Path | str) -> Verdict:
    """Check a certificate against a table; Refused says what it does not prove."""
    content = read_certificate(certificate)
    return check(content, merged(content["described"], read_texts(table, content["described"]["table"]["separator"])))


def check(content: dict[str, Any], samples: Samples) -> Verdict:
    """Check what a certificate holds against the samples of a table."""
    described, claim, scale = content["described"], content["claim"], content["root"]["scale"]
    problem = described["problem"]
    if samples.digest != content["hash"]:
        raise Refused("The hash is another one: the certificate is about other rows, conditions or limits.")
    miss, cover = int(samples.miss.sum()), int(samples.cover.sum())
    if scale * (miss + cover) >= 2**52:
        raise Refused("The stakes are too large for exact sums.")
    for rules, loss in ((claim["rules"], claim["loss"]), (claim["best"], claim["best_loss"])):
        _check_rules(rules, loss, problem["max_complexity"], samples)
    # The rule without conditions covers everything; with any other beside it, it costs no less than alone.
    if min(claim["best_loss"], miss, cover) < claim["bound"]:
        raise Refused("The best rule set, none at all, or the rule that covers everything has a loss below the bound.")
    sizes = np.array([1 + len(rule) for rule in content["list"]], dtype=np.int64)
    wanted, nodes = samples.miss[samples.miss > 0], iter(content["nodes"])
    search = Search(*samples.counted(content["list"]), sizes, wanted, claim["bound"], scale, nodes)
    search.run(problem["max_complexity"], problem["max_conditions"] + 1)
    n_found = check_list(content, samples)
    checked = (
        f"{samples.n_rows} rows, the conditions and the limits have the hash {samples.digest}",
        f"the rule set has a loss of {claim['loss']}, the best one that was met {claim['best_loss']}",
        f"all conjunctions were enumerated: {n_found} can be in a rule set with a loss below {claim['bound']}; "
        f"{len(content['list'])} rules are listed, {len(content['dominated'])} dominated, others replaced by those",
        f"no rule set made of the list has a loss below {claim['bound']}: {len(content['nodes'])} nodes",
    )
    return Verdict(checked, _claim(described, claim))


def _check_rules(rules: list[list[int]], loss: int, most: int, samples: Samples) -> None:
    """Recount a rule set's loss and size."""
    covers, costs = samples.counted(rules)
    counted = int(costs.sum() + samples.miss[: covers.shape[1]][~covers.any(axis=0)].sum())
    complexity = len(rules) + sum(map(len, rules))
    if counted != loss or complexity > most:
        raise Refused(f"A rule set has a loss of {counted} and a complexity of {complexity}, not {loss} and {most}.")


def check_list(content: dict[str, Any], samples: Samples) -> int:
    """Every conjunction that can be in a better rule set is listed, covers as a listed one, or is replaced by one."""
    root, problem, n = content["root"], content["described"]["problem"], int((samples.miss > 0).sum())
    prices, costs = np.array(root["positives"], dtype=np.int64), root["scale"] * samples.cover[n:]
    if len(prices) != n or (prices > root["scale"] * samples.miss[:n]).any():
        raise Refused("The prices of positives are not one for each, at most what missing it costs.")
    at_most = int(prices.sum()) - root["size"] * problem["max_complexity"]
    reach = (content["claim"]["bound"] - 1) * root["scale"] - at_most
    known, n_found = _known_sizes(content, samples), 0
    # Below 0 the prices alone prove the bound, as long as no rule has a loss below 0.
    found = within_reach(samples, prices, costs, root["size"], problem["max_conditions"], max(reach, 0))
    for rules, covers, losses in found:
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
    n, by = len(content["list"]), [entry["by"] for entry in content["dominated"]]
    rules = content["list"] + [entry["rule"] for entry in content["dominated"]]
    covers, costs = samples.counted(rules)
    sizes, lost = np.array(list(map(len, rules))), (covers[n:] & ~covers[by, :]) @ samples.miss[: covers.shape[1]]
    if by and ((sizes[by] > sizes[n:]) | (costs[by] + lost > costs[n:])).any():
        raise Refused("A rule is called dominated that the named one does not replace at no loss.")
    known: dict[bytes, int] = {}
    for rule in rules:
        cover = np.packbits(samples.holds[:, rule].all(axis=1)).tobytes()
        known[cover] = min(len(rule), known.get(cover, len(rule)))
    return known


def _has_idle_condition(rule: IntArray, samples: Samples) -> bool:
    """Whether without one of its conditions the rule costs the same: the shorter rule replaces it."""
    fails = ~samples.holds[:, rule][samples.cover > 0]
    return not bool((fails & (fails.sum(axis=1, keepdims=True) == 1)).any(axis=0).all())


def _claim(described: dict[str, Any], claim: dict[str, Any]) -> str:
    """What is proven, in words, and the rule set, one line per rule."""
    problem, is_dnf = described["problem"], described["problem"]["logic"] == "dnf"
    kind, one, covers = ("OR of ANDs", "rule", "covers") if is_dnf else ("AND of ORs", "clause", "denies")
    inner, outer = (" AND ", "\nOR ") if is_dnf else (" OR ", "\nAND ")
    sides = [f"{problem['false_negative']} for each positive row", f"{problem['false_positive']} for each negative row"]
    missed, covered = sides if is_dnf else sides[::-1]
    names = [" ".join(condition).strip() for condition in described["conditions"]]
    lines = [inner.join(names[at] for at in rule) or "(no condition)" for rule in claim["rules"]]
    return (
        f"No {kind} of these {len(described['conditions'])} conditions, with at most {problem['max_complexity']} "
        f"{one}s and conditions together and at most {problem['max_conditions']} conditions in a {one}, has a loss "
        f"below {claim['bound']} on these rows. The rule set below has {claim['loss']}, the best one that was met "
        f"{claim['best_loss']}. The loss counts {missed} that no {one} {covers} and, for every {one}, "
        f"{covered} that it {covers}{', by the weights of the rows' if described['weight'] else ''}.\n\n"
        f"{outer.join(lines) or '(no rule)'}"
    )
