from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from triptych.engines.base import Context, Engine, HashingReader
from triptych.errors import InputNotUsed
from triptych.process.host import Host
from triptych.task import Blob, Modality, Role, Slot
from triptych.testing.double import DoubleEngine

DATA = bytes(range(256)) * 9000


@pytest.fixture
def context(tmp_path: Path) -> Context:
    return Context(workdir=tmp_path, host=Host())


def slot(tmp_path: Path, data: bytes = DATA, key: str = "reference_images[0]") -> Slot:
    path = tmp_path / key
    path.write_bytes(data)
    return Slot(
        key=key,
        position=0,
        field="--image a.png",
        role=Role.REFERENCE,
        modality=Modality.IMAGE,
        uses=("picture",),
        blob=Blob(path=str(path), sha256=hashlib.sha256(data).hexdigest(), size_bytes=len(data)),
    )


def test_the_double_is_an_engine() -> None:
    engine: Engine = DoubleEngine()
    assert engine.spec.name == "double"


@pytest.mark.parametrize("pieces", [[], [0], [1, 2, 3], [len(DATA)], [-1], [10**9, 5]])
def test_a_reader_knows_the_hash_of_the_whole_however_it_was_read(tmp_path: Path, pieces: list[int]) -> None:
    one = slot(tmp_path)
    with Path(one.blob.path).open("rb") as file:
        reader = HashingReader(file)
        read = b"".join(reader.read(size) for size in pieces)
        assert DATA.startswith(read)
        assert reader.finish() == one.blob.sha256
        assert reader.read() == b""
        assert reader.finish() == one.blob.sha256
        reader.close()
        assert file.closed


def test_a_receipt_has_the_hash_of_what_was_read_and_not_of_the_plan(tmp_path: Path, context: Context) -> None:
    one = slot(tmp_path)
    assert context.open(one).read(10) == DATA[:10]
    receipt = context.receipt(one, used_sha256="f" * 64, where="shot 1")
    assert (receipt.slot, receipt.source_sha256, receipt.used_sha256) == (one.key, one.blob.sha256, "f" * 64)
    assert (receipt.how, receipt.uses, receipt.where) == ("consumed", ("picture",), "shot 1")
    Path(one.blob.path).write_bytes(b"something else")
    context.open(one)
    changed = context.receipt(one, used_sha256="f" * 64, where="shot 1", uses=("motion",))
    assert changed.source_sha256 == hashlib.sha256(b"something else").hexdigest()
    assert changed.uses == ("motion",)


def test_what_was_never_opened_has_no_receipt(tmp_path: Path, context: Context) -> None:
    one, other = slot(tmp_path), slot(tmp_path, key="other")
    context.open(one)
    with pytest.raises(InputNotUsed, match="never opened"):
        context.receipt(other, used_sha256="f" * 64, where="")
    context.receipt(one, used_sha256="f" * 64, where="")
    with pytest.raises(InputNotUsed, match=r"--image a\.png"):
        context.receipt(one, used_sha256="f" * 64, where="")


def test_what_was_opened_is_closed_with_or_without_a_receipt(tmp_path: Path, context: Context) -> None:
    one, other = slot(tmp_path), slot(tmp_path, key="other")
    first, again, left = context.open(one), context.open(one), context.open(other)
    with pytest.raises(ValueError, match="closed"):
        first.read(1)
    assert again.read(3) == DATA[:3]
    context.close()
    for reader in (again, left):
        with pytest.raises(ValueError, match="closed"):
            reader.read(1)
    with pytest.raises(InputNotUsed, match="never opened"):
        context.receipt(other, used_sha256="f" * 64, where="late")
