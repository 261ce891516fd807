"""The masters that come with the core are registered like anybody's, and all are under contract."""

from importlib import import_module

from rulecg_core import load_registry
from rulecg_core.testing.master_contract import MasterContract


def test_every_registered_master_is_under_contract():
    """A master that is registered but not tested would go unnoticed."""
    under_contract = {"hamming": "test_hamming.TestPrimalForm", "01": "test_zero_one.TestDisaggregated"}
    registered = {entry.name for entry in load_registry() if entry.kind == "master" and entry.distribution == "rulecg"}
    assert registered == set(under_contract)
    for place in under_contract.values():
        module, test = place.split(".")
        assert issubclass(getattr(import_module(f"tests.core.masters.{module}"), test), MasterContract)
