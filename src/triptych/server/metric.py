"""What is counted, for Prometheus. Each app has a registry of its own, so that two in one process do not mix."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"

SECONDS = (0.001, 0.005, 0.02, 0.1, 0.5, 2.0, 10.0, 60.0, 600.0)


class Metrics:
    """The counters of one app.

    Args:
        jobs: how many jobs are in each status, asked for when the metrics are read.
    """

    def __init__(self, jobs: Callable[[], dict[str, int]]) -> None:
        self._registry = CollectorRegistry()
        self._requests = Counter(
            "triptych_http_requests", "Requests answered.", ("method", "route", "status"), registry=self._registry
        )
        self._seconds = Histogram(
            "triptych_http_request_seconds",
            "From the first byte of a request to the last of its answer.",
            ("route",),
            buckets=SECONDS,
            registry=self._registry,
        )
        self._received = Counter("triptych_http_received_bytes", "Bytes of request bodies.", registry=self._registry)
        self._registry.register(_Jobs(jobs))

    def request(self, *, method: str, route: str, status: int, seconds: float, received_bytes: int) -> None:
        """Count one request."""
        self._requests.labels(method, route, str(status)).inc()
        self._seconds.labels(route).observe(seconds)
        self._received.inc(received_bytes)

    def text(self) -> bytes:
        """Everything, in the text format."""
        return generate_latest(self._registry)


class _Jobs(Collector):
    """Asks for the numbers of jobs when somebody looks."""

    def __init__(self, jobs: Callable[[], dict[str, int]]) -> None:
        self._jobs = jobs

    def describe(self) -> Iterable[Metric]:
        return [GaugeMetricFamily("triptych_jobs", "Jobs that are kept, by status.", labels=("status",))]

    def collect(self) -> Iterable[Metric]:
        family = GaugeMetricFamily("triptych_jobs", "Jobs that are kept, by status.", labels=("status",))
        for status, count in self._jobs().items():
            family.add_metric([status], count)
        return [family]
