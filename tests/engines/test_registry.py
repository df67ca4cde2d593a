from __future__ import annotations

from importlib.metadata import EntryPoint, EntryPoints

import pytest

from triptych.engines import registry
from triptych.engines.base import Engine
from triptych.engines.registry import Registry
from triptych.errors import EngineUnavailable, InvalidRequest, TriptychError
from triptych.testing.double import ANYTHING, DoubleEngine


def make() -> Engine:
    return DoubleEngine()


def broken() -> Engine:
    raise ImportError("No module named 'heavy'")


def installed(monkeypatch: pytest.MonkeyPatch, *points: tuple[str, str]) -> Registry:
    found = EntryPoints([EntryPoint(name, value, registry.GROUP) for name, value in points])
    monkeypatch.setattr(registry, "entry_points", lambda *, group: found.select(group=group))
    return Registry.installed()


def test_the_preview_engine_comes_in_by_the_door_of_strangers() -> None:
    here = Registry.installed()
    assert registry.DEFAULT in here.names()
    assert here.engine(None) is here.engine(registry.DEFAULT)
    assert here.spec(None).name == registry.DEFAULT


def test_a_strangers_engine_is_found_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    here = installed(monkeypatch, ("theirs", f"{__name__}:make"))
    assert here.names() == ("theirs",)
    assert here.spec("theirs") is ANYTHING


def test_nobody_takes_the_name_of_a_built_in_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    ours, theirs = ("animatic", "triptych.engines.animatic:create"), ("animatic", f"{__name__}:make")
    for points in ((ours, theirs), (theirs, ours)):
        assert installed(monkeypatch, *points).spec("animatic").name == "animatic"


def test_an_engine_can_be_made_again_in_the_same_process() -> None:
    one, two = Registry.installed(), Registry.installed()
    assert one.spec(None) == two.spec(None)
    assert one.engine(None) is not two.engine(None)


def test_an_engine_is_made_once_and_only_when_it_is_asked_for() -> None:
    made: list[int] = []

    def counted() -> Engine:
        made.append(1)
        return DoubleEngine()

    here = Registry({"b": counted, "a": broken})
    assert here.names() == ("a", "b")
    assert made == []
    assert here.engine("b") is here.engine("b")
    assert made == [1]


@pytest.mark.parametrize(
    ("name", "fix"), [("animatik", "Did you mean animatic?"), ("zzz", "There is animatic, double"), ("", "There is")]
)
def test_an_unknown_name_is_refused_with_what_there_is(name: str, fix: str) -> None:
    here = Registry({"animatic": make, "double": make})
    with pytest.raises(InvalidRequest) as refused:
        here.spec(name, field="--engine")
    (problem,) = refused.value.problems
    assert (problem.code, problem.field, problem.limit) == ("unknown_engine", "--engine", ["animatic", "double"])
    assert problem.fix.startswith(fix)


def test_no_engine_at_all_says_none() -> None:
    with pytest.raises(InvalidRequest, match="There is none"):
        Registry({}).engine(None)


@pytest.mark.parametrize("value", ["no_such_module_at_all:engine", f"{__name__}:broken"])
def test_an_engine_whose_needs_are_missing_is_unavailable(monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    here = installed(monkeypatch, ("heavy", value))
    with pytest.raises(EngineUnavailable, match="engine heavy cannot be loaded: No module named") as raised:
        here.engine("heavy")
    assert isinstance(raised.value, TriptychError)
    assert isinstance(raised.value.__cause__, ImportError)


def test_an_entry_point_that_names_nothing_is_unavailable_too(monkeypatch: pytest.MonkeyPatch) -> None:
    here = installed(monkeypatch, ("gone", f"{__name__}:no_such_function"), ("module", __name__))
    for name in ("gone", "module"):
        with pytest.raises(EngineUnavailable, match=f"engine {name} cannot be loaded"):
            here.engine(name)
