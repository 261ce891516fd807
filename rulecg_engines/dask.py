"""Workers of a Dask cluster: functions travel to them, sums of integers come back, and rows never leave."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from rulecg_core import Availability, package_availability


class DaskEngine:
    """Workers of a Dask cluster (package distributed), which read partitions where they are.

    Parameters
    ----------
    scheduler : str or None
        The address of a scheduler, such as ``"tcp://10.0.0.1:8786"``; None starts workers on this machine.
    client : distributed.Client or None
        A client that is connected already; it stays open.
    workers : int
        How many workers are started where neither of both is given.
    retries : int
        How often a partition is asked again after the worker that had it was lost or the network failed.
    """

    def __init__(
        self, scheduler: str | None = None, *, client: Any = None, workers: int = 2, retries: int = 3
    ) -> None:
        import distributed

        # Functions without types, as far as a type checker sees them.
        library: Any = distributed

        self._cluster: Any = None
        self._owned = client is None
        if client is None and scheduler is None:
            self._cluster = library.LocalCluster(n_workers=workers, threads_per_worker=1, dashboard_address=None)
        self.client = client or library.Client(self._cluster or scheduler)
        self.retries = retries

    @classmethod
    def availability(cls) -> Availability:
        """Whether the package is installed."""
        return package_availability("distributed", "distributed", "pip install 'rulecg[dask]'")

    @property
    def dashboard(self) -> str:
        """Where people can watch the workers."""
        return str(self.client.dashboard_link)

    def map(self, function: Callable[[Any], Any], partitions: Iterable[Any], /) -> Iterator[Any]:
        """Apply the function to every partition on some worker; a lost worker's partitions are read by another one."""
        # Not pure: an answer is taken once, and the scheduler is not to keep it for somebody who asks again.
        futures = self.client.map(function, list(partitions), pure=False, retries=self.retries)
        try:
            while futures:
                yield futures[0].result()
                futures.pop(0).release()
        finally:
            self.client.cancel(futures)

    def shutdown(self) -> None:
        """Close what this engine opened."""
        if self._owned:
            self.client.close()
        if self._cluster is not None:
            self._cluster.close()
