"""Everything that a certificate holds besides the table and what it means, found anew for a proven bound."""

from __future__ import annotations

from collections.abc import Sequence

from attrs import frozen

from ..api.backend import Backend
from ..api.pricing import Pricer
from ..base.limits import Deadline
from ..data.rules import Rule
from .exact_problem import ExactProblem
from .list_nodes import ListNode, NodeSearch
from .node_prices import ListedRules, PriceFinder
from .priced_list import NoCertificateError, PricedList, RootPrices, covers_and_costs, priced_list, root_prices


@frozen(eq=False)
class ProofParts:
    """Shows that no rule set has a loss below ``bound``."""

    bound: int
    root: RootPrices
    listed: PricedList
    nodes: tuple[ListNode, ...]


def proof_parts(
    problem: ExactProblem, bound: int, backend: Backend, lister: Pricer, known: Sequence[Rule], deadline: Deadline
) -> ProofParts:
    """Find prices, list and nodes.

    Parameters
    ----------
    problem : what the certificate is about
    bound : what was proven: no rule set has a loss below it
    backend : solves the linear programs
    lister : a pricer that lists rules
    known : rules to begin with
    deadline : when to end

    Raises
    ------
    NoCertificateError
        When the time is over first, or it takes too long a list or too many nodes.
    """
    if min(int(problem.miss.sum()), int(problem.cover.sum())) < bound:
        raise NoCertificateError("No certificate: no rule, or the rule that covers everything, has a lower loss.")
    root = root_prices(problem, backend, lister, known, deadline)
    listed = priced_list(problem, root, lister, bound, deadline)
    covers, costs, sizes = covers_and_costs(problem, listed.rules)
    rules = ListedRules(covers, costs, sizes, problem.miss[problem.positives], problem.max_conditions + 1)
    nodes = NodeSearch(rules, PriceFinder(backend, rules, deadline), bound, deadline).run(problem.max_complexity)
    return ProofParts(bound, root, listed, tuple(nodes))
