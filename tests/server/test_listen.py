"""A socket, or a reason why there is none."""

from __future__ import annotations

import pytest

from triptych.errors import InvalidRequest
from triptych.server.listen import listen


def test_port_0_takes_a_free_one() -> None:
    with listen("127.0.0.1", 0) as opened:
        assert opened.getsockname()[1] > 0
        with pytest.raises(InvalidRequest, match="somebody listens") as refused:
            listen("127.0.0.1", opened.getsockname()[1])
    assert refused.value.problems[0].field == "--port"


def test_an_address_that_is_none_is_refused() -> None:
    with pytest.raises(InvalidRequest) as refused:
        listen("", 0)
    assert refused.value.problems[0].field == "--host"


def test_loopback_of_either_family() -> None:
    for host in ("127.0.0.1", "::1"):
        listen(host, 0).close()
