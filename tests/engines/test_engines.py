"""Engines keep the contract that strangers' engines keep."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from rulecg_core import ConfigurationError, Engine, PluginError, load_registry
from rulecg_core.testing import EngineContract
from rulecg_core.testing.engine_contract import counts_of


class TestLocalEngine(EngineContract):
    @pytest.fixture(params=[1, 3])
    def engine(self, request: pytest.FixtureRequest) -> Iterator[Engine]:
        engine = load_registry().engine(f"local:threads={request.param}")
        yield engine
        engine.shutdown()


class TestExecutor(EngineContract):
    @pytest.fixture
    def engine(self) -> Iterator[Engine]:
        with ThreadPoolExecutor(2) as pool:
            yield load_registry().engine(pool)


class TestDaskEngine(EngineContract):
    @pytest.fixture(scope="class")
    def engine(self) -> Iterator[Engine]:
        pytest.importorskip("distributed")
        engine = load_registry().engine("dask:workers=1")
        yield engine
        engine.shutdown()


def test_an_engine_that_fails_is_named():
    """An engine of a stranger that raises is a fault of the engine, told with its class."""
    from rulecg_core import total_of

    class Broken:
        def map(self, function, partitions):
            raise OSError("no network")

        def shutdown(self):
            return

    with pytest.raises(PluginError, match=r"Broken.*no network"):
        total_of(Broken(), counts_of, ((1,),))


def test_local_needs_a_thread():
    """No thread, no work: refused in a sentence."""
    with pytest.raises(ConfigurationError, match="at least 1"):
        load_registry().engine("local:threads=0")
