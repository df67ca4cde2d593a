from __future__ import annotations

from triptych.task import Blob
from triptych.wire.body import BodyLimits, Document, Upload


def test_a_document_is_empty_json_unless_it_says_otherwise() -> None:
    document = Document()
    assert (dict(document.values), document.is_form, document.problems) == ({}, False, ())


def test_a_clients_name_and_type_of_an_upload_are_kept_apart_from_its_bytes() -> None:
    blob = Blob(path="/data/abc", sha256="abc", size_bytes=3)
    upload = Upload(blob=blob, how="file", file_name="../../x.png", media_type="image/png")
    assert upload.blob.path == "/data/abc"


def test_every_bound_of_a_body_is_a_number_above_0() -> None:
    assert all(value > 0 for value in vars(BodyLimits()).values())
