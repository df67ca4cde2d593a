"""Numbers for Prometheus."""

from __future__ import annotations

from triptych.server.metric import Metrics


def test_two_apps_do_not_mix() -> None:
    one, other = Metrics(dict), Metrics(dict)
    one.request(method="GET", route="/x", status=200, seconds=0.01, received_bytes=7)
    assert "triptych_http_received_bytes_total 7.0" in one.text().decode()
    assert "triptych_http_received_bytes_total 0.0" in other.text().decode()
    assert 'triptych_http_request_seconds_bucket{le="0.02",route="/x"} 1.0' in one.text().decode()


def test_jobs_are_counted_when_somebody_looks() -> None:
    counts = {"queued": 1}
    metrics = Metrics(lambda: counts)
    assert 'triptych_jobs{status="queued"} 1.0' in metrics.text().decode()
    counts["queued"] = 2
    assert 'triptych_jobs{status="queued"} 2.0' in metrics.text().decode()
