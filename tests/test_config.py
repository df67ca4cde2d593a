from __future__ import annotations

from dataclasses import FrozenInstanceError, fields
from pathlib import Path

import pytest

from triptych.config import Settings
from triptych.errors import InvalidRequest


def read(tmp_path: Path, text: str | None = None, **environ: str) -> Settings:
    if text is not None:
        (tmp_path / "config.toml").write_text(text, encoding="utf-8")
        environ["TRIPTYCH_CONFIG"] = str(tmp_path / "config.toml")
    return Settings.read({"HOME": str(tmp_path), **environ})


def refusal(tmp_path: Path, text: str | None = None, **environ: str) -> list[tuple[str, str]]:
    with pytest.raises(InvalidRequest) as refused:
        read(tmp_path, text, **environ)
    return [(problem.code, problem.field) for problem in refused.value.problems]


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))


def test_without_anything_said_the_defaults_hold(tmp_path: Path) -> None:
    assert read(tmp_path) == Settings()
    with pytest.raises(FrozenInstanceError):
        Settings().engine = "x"  # type: ignore[misc]  # that is the point


def test_the_environment_goes_before_the_file_before_the_defaults(tmp_path: Path) -> None:
    settings = read(tmp_path, 'engine = "from file"\ndecoders = 3\n', TRIPTYCH_DECODERS="5", TRIPTYCH_WORK_DIR="w")
    assert (settings.engine, settings.decoders, settings.work_dir) == ("from file", 5, "w")
    assert settings.memory_bytes == Settings().memory_bytes


def test_every_setting_is_read_from_the_environment(tmp_path: Path) -> None:
    words = {bool: "yes", tuple: "7, 7"}
    kinds = {item.name: type(getattr(Settings(), item.name)) for item in fields(Settings)}
    settings = read(tmp_path, **{f"TRIPTYCH_{name.upper()}": words.get(kind, "7") for name, kind in kinds.items()})
    expected = {bool: True, tuple: ("7", "7"), str: "7", int: 7, float: 7.0}
    assert {name: getattr(settings, name) for name in kinds} == {name: expected[kind] for name, kind in kinds.items()}


@pytest.mark.parametrize(
    ("text", "value"), [("yes", True), ("TRUE", True), ("1", True), ("off", False), ("false", False), ("0", False)]
)
def test_a_switch_is_said_in_words(tmp_path: Path, text: str, value: bool) -> None:
    assert read(tmp_path, TRIPTYCH_ALLOW_URLS=text).allow_urls is value


def test_a_list_is_an_array_in_the_file_and_has_commas_in_the_environment(tmp_path: Path) -> None:
    settings = read(tmp_path, 'roots = ["/a b", "/c"]\nallow_urls = true', TRIPTYCH_ALLOWED_HOSTS="one, two,")
    assert (settings.roots, settings.allowed_hosts, settings.allow_urls) == (("/a b", "/c"), ("one", "two"), True)


@pytest.mark.parametrize(
    "text", ["roots = 3", "roots = [1]", 'allow_urls = "perhaps"', "allow_urls = 2", "max_queued = 0"]
)
def test_a_list_and_a_switch_of_the_wrong_type_are_refused(tmp_path: Path, text: str) -> None:
    name = text.partition(" ")[0]
    assert refusal(tmp_path, text) == [("invalid_value", f"{tmp_path / 'config.toml'}: {name}")]


def test_keys_are_not_shown(tmp_path: Path) -> None:
    assert "s3cret" not in repr(read(tmp_path, TRIPTYCH_API_KEYS="me=s3cret"))
    with pytest.raises(InvalidRequest) as refused:
        read(tmp_path, 'api_keys = [["s3cret"]]')
    assert "s3cret" not in str(refused.value.as_json())


def test_the_usual_file_is_in_the_home_folder(tmp_path: Path) -> None:
    folder = tmp_path / ".config" / "triptych"
    folder.mkdir(parents=True)
    (folder / "config.toml").write_text('engine = "mine"', encoding="utf-8")
    assert read(tmp_path).engine == "mine"


@pytest.mark.parametrize("value", ["many", "-1", "inf", "nan", "", "1e999"])
def test_a_value_that_makes_no_sense_is_refused_by_its_name(tmp_path: Path, value: str) -> None:
    assert refusal(tmp_path, TRIPTYCH_DECODE_SECONDS=value) == [("invalid_value", "TRIPTYCH_DECODE_SECONDS")]


def test_every_problem_is_told_at_once_with_where_it_stands(tmp_path: Path) -> None:
    text = 'decoders = "many"\ndecoder = 2\nmemory_bytes = -1\n'
    path = tmp_path / "config.toml"
    assert refusal(tmp_path, text, TRIPTYCH_MAX_INPUT_BYTES="big") == [
        ("unknown_parameter", f"{path}: decoder"),
        ("invalid_value", f"{path}: decoders"),
        ("invalid_value", f"{path}: memory_bytes"),
        ("invalid_value", "TRIPTYCH_MAX_INPUT_BYTES"),
    ]


def test_a_file_that_was_named_must_be_there(tmp_path: Path) -> None:
    assert refusal(tmp_path, TRIPTYCH_CONFIG=str(tmp_path / "nowhere.toml")) == [("media_not_found", "TRIPTYCH_CONFIG")]


@pytest.mark.parametrize("data", [b"engine = ", b"\xff\xfe"])
def test_a_file_that_cannot_be_read_is_refused(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "config.toml"
    path.write_bytes(data)
    assert refusal(tmp_path, TRIPTYCH_CONFIG=str(path)) == [("invalid_value", str(path))]
    assert refusal(tmp_path, TRIPTYCH_CONFIG=str(tmp_path)) == [("invalid_value", str(tmp_path))]


@pytest.mark.parametrize(
    "line", ["decoders = 2.9", "decoders = true", "engine = 5", "max_input_bytes = []", "decoders = 0"]
)
def test_a_value_of_another_type_is_refused_and_not_bent(tmp_path: Path, line: str) -> None:
    path = tmp_path / "config.toml"
    path.write_text(line, encoding="utf-8")
    name = line.partition(" ")[0]
    assert refusal(tmp_path, TRIPTYCH_CONFIG=str(path)) == [("invalid_value", f"{path}: {name}")]
