"""Where a plugin comes from: faults name it, and only what comes with the core is trusted with proofs."""

from rulecg_core import Complexity, HammingMaster, load_registry
from rulecg_core.api.provenance import describe, distribution_of, fault_of, is_trusted
from rulecg_core.testing.brute_force import BruteForcePricer


class Strange:
    """Belongs to no distribution."""


def test_our_own_parts_belong_to_our_distribution():
    """The distribution is found from the class's package."""
    assert distribution_of(Complexity(3)) == "rulecg"


def test_a_class_of_no_distribution_has_none():
    """Code that was never installed is named by its place alone."""
    strange = type("Strange", (), {"__module__": "nowhere.at.all"})()
    assert distribution_of(strange) is None
    assert describe("mine", strange) == "'mine' (nowhere.at.all.Strange)"


def test_a_fault_says_who_and_how():
    """One sentence with the kind, the name, the class, and the error's type and text."""
    text = fault_of("pricer", "mine", Strange(), ValueError("no such thing"))
    assert text.startswith("the pricer 'mine' (")
    assert "test_provenance.Strange" in text
    assert text.endswith("failed: ValueError: no such thing")


class Inheriting(BruteForcePricer):
    """A stranger's class that lists rules by itself and leaves pricing as it is."""

    def list_below(self, problem, threshold, most, limits):
        return super().list_below(problem, threshold, most, limits)


def test_what_comes_with_the_core_is_trusted():
    """Our own pricers, from other packages of the same distribution, may close proofs."""
    registry = load_registry()
    pricer = registry.pricer("exact-search", registry.backend("highs"))
    assert is_trusted(pricer, "price")
    assert is_trusted(pricer, "list_below")


def test_a_strangers_method_is_not_trusted_but_an_inherited_one_is():
    """Trust is about the code that answers, not about the class that it is called on."""
    assert is_trusted(Inheriting(), "price")
    assert not is_trusted(Inheriting(), "list_below")
    stranger = type("Mine", (HammingMaster,), {"solve_relaxation": lambda self, deadline: None})
    assert not is_trusted(stranger.__new__(stranger), "solve_relaxation")
