"""What is kept between processes comes back as it was."""

from __future__ import annotations

import json
from types import MappingProxyType
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.flows.random_request import asked, specs
from tests.rules.example import AUDIO, H3_LIKE, blob, image, planned, ref
from triptych.task import (
    Artifact,
    Blob,
    BlobSource,
    BytesSource,
    DataURLSource,
    Fit,
    Output,
    PathSource,
    Plan,
    Receipt,
    Reference,
    Request,
    Result,
    ResultSource,
    Role,
    Source,
    URLSource,
)
from triptych.wire.codec import dump, load

PLAN = planned(
    Request(prompt="a \u2028 b", references=(ref("one", role=Role.FIRST_FRAME, fit=Fit.PAD),)), H3_LIKE, [image()]
)


def through(value: Any) -> Any:
    return load(type(value), json.loads(json.dumps(dump(value), allow_nan=False)))


@pytest.mark.parametrize(
    "source",
    [
        PathSource("a.png"),
        PathSource("frames", frame_rate=12.0),
        URLSource("https://example.org/a.png"),
        DataURLSource("data:image/png;base64,AAAA"),
        ResultSource("video_1.last_frame"),
        BlobSource(Blob(path="/x", sha256="ab", size_bytes=3, packed=True, frame_rate=24.0)),
        BlobSource(Blob(path="", sha256="", size_bytes=0, awaits="video_1")),
    ],
    ids=lambda source: type(source).__name__,
)
def test_a_request_with_any_source_comes_back(source: Source) -> None:
    one = Reference(role=Role.REFERENCE, source=source, field="references[0]", modality=AUDIO, seconds=1.5)
    note = Artifact(id="note", kind="text", source=source, field="artifacts[0]", meta={"a": 1, "b": True, "c": "x"})
    request = Request(
        prompt="é", references=(one,), artifacts=(note,), options={"gain": 0.5}, fields={"width": "size"}, fit=Fit.CROP
    )
    assert through(request) == request


def test_bytes_in_memory_are_not_kept_as_json() -> None:
    request = Request(references=(Reference(role=Role.REFERENCE, source=BytesSource(b"abc"), field="a"),))
    with pytest.raises(TypeError, match="bytes"):
        dump(request)


def test_a_plan_and_a_result_come_back() -> None:
    assert through(PLAN) == PLAN
    result = Result(
        plan=PLAN,
        outputs=(Output(path="a", media_type="video/mp4", sha256="b", size_bytes=1, probe=image()),),
        receipts=(
            Receipt(
                slot="first_frame", source_sha256="a", used_sha256="b", how="consumed", uses=("picture",), where="0"
            ),
        ),
        adjustments=PLAN.adjustments,
        warnings=PLAN.warnings,
        versions={"a": "1"},
    )
    assert through(result) == result


@given(st.data())
@settings(max_examples=50)
def test_any_request_comes_back(data: st.DataObject) -> None:
    request = data.draw(asked(data.draw(specs()))).request
    bound = [
        Reference(**{**vars(one), "source": BlobSource(blob(index))}) for index, one in enumerate(request.references)
    ]
    frozen = {name: MappingProxyType(dict(getattr(request, name))) for name in ("options", "fields")}
    given_ = Request(**{**vars(request), **frozen, "references": tuple(bound), "artifacts": ()})
    # By their text: a length that is no number is equal to nothing, and comes back all the same.
    assert repr(load(Request, json.loads(json.dumps(dump(given_))))) == repr(given_)


def test_a_name_that_is_gone_is_dropped_and_one_that_is_new_has_its_default() -> None:
    document = dump(PLAN)
    document["gone"] = 1
    del document["spoken"]
    assert load(Plan, document) == PLAN


@pytest.mark.parametrize("document", [{}, {"prompt": "a"}, [], 3, "text"])
def test_what_is_no_plan_is_refused(document: Any) -> None:
    with pytest.raises(ValueError, match="no Plan"):
        load(Plan, document)
