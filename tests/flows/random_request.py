"""Random specs, and random requests for them: mostly nearly legal, now and then absurd."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

from hypothesis import strategies as st

from triptych.rules.geometry import nearest_size
from triptych.rules.spec import (
    USES,
    ArtifactRule,
    Caps,
    EngineSpec,
    Exclusive,
    Geometry,
    MediaLimits,
    Option,
    RoleRule,
    Speech,
    TagStyle,
    Timing,
)
from triptych.task import (
    Artifact,
    BytesSource,
    Fit,
    Modality,
    Probe,
    Reference,
    Request,
    Role,
    Tags,
    Task,
)

HUGE = 10**400
"""No float holds it."""
KINDS = list(Modality)
VIDEO_ROLES = (Role.FIRST_FRAME, Role.LAST_FRAME, Role.REFERENCE, Role.SOUNDTRACK, Role.INPUT)
ODD_WHOLES = st.sampled_from([-1, 0, HUGE, -HUGE, 2**63])
ODD_NUMBERS = st.sampled_from([math.nan, math.inf, -math.inf, -0.0, 1e-320, 1e308, 0.5]) | ODD_WHOLES
ODD_TEXT = st.one_of(
    st.text(max_size=20),
    st.sampled_from(
        ["", "\0", "\ud800", "\udfff x", "\x1b[31m", "a" * 3000, "Image 1", "@", "\\", "\\@\\", '"', '"\ud83d"']
    ),
)
PROSE = st.lists(
    st.sampled_from(
        [
            "a boat ",
            "Image 1 ",
            "<Video 1> ",
            "Audio 2, ",
            "@anna ",
            r"\Image 9 ",
            '"say it" ',
            "@bob ",
            "image 1 ",
            "“…” ",
        ]
    ),
    max_size=6,
).map("".join)
NAMES = st.sampled_from(["anna", "bob", "anna", "Zoë-1", "two words", "", "image1", "\ud800"])
UNUSED = BytesSource(b"")


@st.composite
def specs(draw: st.DrawFn) -> EngineSpec:
    """Any capabilities that do not contradict themselves."""
    roles = {role: draw(role_rules(role)) for role in VIDEO_ROLES if draw(st.integers(0, 5))}
    caps = Caps(
        image=draw(st.integers(0, 6)),
        video=draw(st.integers(0, 4)),
        audio=draw(st.integers(0, 4)),
        total=draw(st.none() | st.integers(1, 8)),
    )
    frames = frozenset((Role.FIRST_FRAME, Role.LAST_FRAME))
    apart = Exclusive(one=frames, other=frozenset((Role.REFERENCE,)), reason="they are apart")
    return EngineSpec(
        name="random",
        summary="One of many.",
        description="Made by chance.",
        tasks=draw(sometimes(st.just(frozenset(list(Task)[:4])), st.just(frozenset((Task.REF2VA,))), 4)),
        roles=roles,
        caps=caps,
        exclusive=draw(st.sampled_from([(), (apart,)])),
        audio_alone=draw(st.booleans()),
        references_required=draw(st.booleans()),
        limits={kind: draw(media_limits()) for kind in KINDS},
        geometry=draw(geometries()),
        timing=draw(timings()),
        default_fit=draw(st.sampled_from([Fit.CROP, Fit.PAD])),
        options=MappingProxyType(
            {
                "steps": Option(kind=int, default=20, minimum=1, maximum=100),
                "gain": Option(kind=float, default=1.0, minimum=0.0),
                "mode": Option(kind=str, default="a", choices=("a", "b")),
                "on": Option(kind=bool, default=False),
            }
        ),
        artifacts_read=(ArtifactRule(id="note", kinds=frozenset(("text",)), most=draw(st.none() | st.integers(1, 2))),),
        tags=draw(st.sampled_from([TagStyle(), TagStyle(image="Image {n}", video="@Video{n}", audio="[{n}]")])),
        max_prompt_chars=draw(st.sampled_from([30, 7000])),
        prompt_required=draw(st.booleans()),
        max_outputs=draw(st.integers(1, 3)),
        max_total_bytes=draw(st.none() | st.integers(2000, 9000)),
        default_seed=draw(st.none() | st.integers(0, 9)),
        speech=Speech(speaks=draw(st.booleans()), available=draw(st.booleans()), install="install it"),
        uses_sound_of_clips=draw(st.booleans()),
        sound=draw(st.sampled_from(["always", "never", "choice"])),
    )


@st.composite
def role_rules(draw: st.DrawFn, role: Role) -> RoleRule:
    if role is Role.INPUT:
        return RoleRule(modalities=frozenset((Modality.VIDEO,)), shown=draw(st.booleans()))
    usual = {Role.REFERENCE: frozenset(Modality), Role.SOUNDTRACK: frozenset((Modality.AUDIO,))}
    some: Mapping[Modality, tuple[str, ...]] = MappingProxyType({Modality.VIDEO: ("motion",)})
    return RoleRule(
        modalities=usual.get(role, frozenset((Modality.IMAGE,))),
        most=draw(st.integers(1, 12)) if role in usual else 1,
        fitted=draw(st.booleans()),
        uses=some if draw(st.booleans()) else USES,
    )


@st.composite
def media_limits(draw: st.DrawFn) -> MediaLimits:
    if draw(st.booleans()):
        return MediaLimits()
    return MediaLimits(
        max_bytes=draw(st.none() | st.just(3000)),
        max_side=draw(st.none() | st.just(1000)),
        max_pixels=draw(st.none() | st.just(500_000)),
        min_side=draw(st.none() | st.just(64)),
        min_aspect=draw(st.none() | st.just(0.25)),
        max_aspect=draw(st.none() | st.just(4.0)),
        min_seconds=draw(st.none() | st.just(1.0)),
        max_seconds=draw(st.none() | st.just(5.0)),
        total_seconds=draw(st.none() | st.just(7.0)),
        total_bytes=draw(st.none() | st.just(5000)),
        min_frames=draw(st.none() | st.just(5)),
        max_frames=draw(st.none() | st.just(200)),
        containers=draw(st.none() | st.just(frozenset(("png", "mov", "wav")))),
    )


@st.composite
def geometries(draw: st.DrawFn) -> Geometry:
    if draw(st.integers(0, 3)) == 0:
        return Geometry(sizes=((1280, 720), (720, 1280), (640, 640)), default=(1280, 720))
    multiple = draw(st.sampled_from([1, 2, 16, 32]))
    default = (32 * draw(st.integers(4, 40)), 32 * draw(st.integers(4, 24)))
    cap = draw(st.none() | st.just(max(default[0] * default[1], 768 * 1344)))
    aliases = MappingProxyType({(1280, 720): default}) if draw(st.booleans()) else MappingProxyType({})
    return Geometry(
        multiple=multiple,
        min_side=32,
        max_pixels=cap,
        min_aspect=0.125,
        max_aspect=16.0,
        default=default,
        short_edge=draw(st.integers(64, 800)),
        aliases=aliases,
    )


@st.composite
def timings(draw: st.DrawFn) -> Timing:
    step = draw(st.sampled_from([1, 1, 4, 17, 24]))
    offset = draw(st.integers(0, step - 1))
    lowest = offset + step * draw(st.integers(1, 5))
    count = draw(st.integers(0, 30))
    highest = lowest + step * count
    return Timing(
        default_fps=24,
        min_fps=draw(st.sampled_from([1, 24])),
        max_fps=draw(st.sampled_from([24, 60])),
        default_frames=lowest + step * draw(st.integers(0, count)),
        min_frames=lowest - draw(st.integers(0, min(step - 1, lowest - 1))),
        max_frames=highest + draw(st.integers(0, step - 1)),
        step=step,
        offset=offset,
        rounding=draw(st.sampled_from(["nearest", "up"])),
        stretches=draw(st.booleans()),
        inputs=draw(st.sampled_from(["together", "each", "free"])),
        trained_seconds=draw(st.none() | st.just((1.0, 2.0))),
    )


@dataclass(frozen=True, kw_only=True)
class Asked:
    """A request with what its inputs would turn out to be."""

    request: Request
    probes: tuple[Probe, ...]
    spoken_seconds: tuple[float, ...]


def sometimes(usual: st.SearchStrategy[Any], odd: st.SearchStrategy[Any], one_in: int = 12) -> st.SearchStrategy[Any]:
    """Mostly the one, now and then the other."""
    return st.integers(0, one_in - 1).flatmap(lambda number: odd if number == 0 else usual)


@st.composite
def probes(draw: st.DrawFn, kind: Modality) -> Probe:
    seconds = 0.0 if kind is Modality.IMAGE else round(draw(st.floats(0.04, 8.0)), 3)
    visible = kind is not Modality.AUDIO
    heard = kind is Modality.AUDIO or (kind is Modality.VIDEO and draw(st.booleans()))
    container = {Modality.IMAGE: "png", Modality.VIDEO: "mov", Modality.AUDIO: "wav"}[kind]
    return Probe(
        modality=kind,
        container=draw(sometimes(st.just(container), st.just("ogg"))),
        media_type="x/y",
        size_bytes=draw(st.integers(1, 4000)),
        width=draw(st.integers(16, 2000)) if visible else 0,
        height=draw(st.integers(16, 2000)) if visible else 0,
        seconds=seconds,
        frames={Modality.IMAGE: 1, Modality.VIDEO: max(1, round(seconds * 24)), Modality.AUDIO: 0}[kind],
        channels=2 if heard else 0,
        notes=draw(st.sampled_from([(), ("turned upright",)])),
    )


@st.composite
def references(draw: st.DrawFn, index: int, clips: list[str]) -> tuple[Reference, Probe]:
    role = draw(sometimes(st.sampled_from(VIDEO_ROLES), st.sampled_from(list(Role))))
    kind = draw(st.sampled_from(KINDS))
    if role is Role.SOUNDTRACK:
        kind = Modality.AUDIO
    elif role is not Role.REFERENCE:
        kind = draw(sometimes(st.just(Modality.IMAGE), st.just(kind)))
    field = f"input[{index}]"
    parted = kind is not Modality.IMAGE and draw(st.booleans())
    one = Reference(
        role=role,
        source=UNUSED,
        field=field,
        modality=draw(sometimes(st.just(kind) | st.none(), st.sampled_from(KINDS))),
        name=draw(sometimes(st.none(), NAMES, 4)) if role is Role.REFERENCE else draw(sometimes(st.none(), NAMES)),
        sound=draw(st.booleans()) if kind is Modality.VIDEO else draw(sometimes(st.just(False), st.just(True))),
        soundtrack_of=draw(sometimes(st.sampled_from(clips), st.none() | st.just("nobody")))
        if role is Role.SOUNDTRACK and clips
        else draw(sometimes(st.none(), st.just(field))),
        fit=draw(sometimes(st.none(), st.sampled_from(list(Fit)), 6)),
        start_seconds=draw(sometimes(st.none() | st.floats(0, 2), ODD_NUMBERS)) if parted else None,
        seconds=draw(sometimes(st.none() | st.floats(0.1, 3), ODD_NUMBERS)) if parted else None,
    )
    if role is Role.REFERENCE and kind is Modality.VIDEO:
        clips.append(field)
    return one, draw(probes(kind))


@st.composite
def artifacts(draw: st.DrawFn, index: int) -> Artifact:
    return Artifact(
        id=draw(sometimes(st.just("note"), ODD_TEXT)),
        kind=draw(sometimes(st.just("text"), ODD_TEXT)),
        source=UNUSED,
        field=f"artifacts[{index}]",
    )


@st.composite
def asked(draw: st.DrawFn, spec: EngineSpec) -> Asked:
    """A request for one spec."""
    clips: list[str] = []
    pairs = [draw(references(index, clips)) for index in range(draw(st.integers(0, 6)))]
    found = tuple(draw(artifacts(index)) for index in range(draw(sometimes(st.just(0), st.integers(1, 3), 3))))
    prompt = draw(sometimes(PROSE.map(lambda text: "a boat " + text), ODD_TEXT, 6))
    return Asked(
        request=Request(
            prompt=prompt,
            references=tuple(one for one, _ in pairs),
            artifacts=found,
            ignore_artifacts=draw(st.booleans()),
            require_speech=draw(sometimes(st.just(False), st.just(True), 6)),
            tags=draw(sometimes(st.just(Tags.READ), st.just(Tags.VERBATIM), 3)),
            task=draw(sometimes(st.none(), st.sampled_from(list(Task)), 8)),
            fit=draw(sometimes(st.none(), st.sampled_from(list(Fit)), 4)),
            fields={"width": "--size", "options.steps": "--option steps"},
            **draw(settings(spec)),
        ),
        probes=tuple(probe for _, probe in pairs),
        spoken_seconds=draw(spoken(spec, prompt)),
    )


@st.composite
def settings(draw: st.DrawFn, spec: EngineSpec) -> dict[str, Any]:
    """The scalars, each left out, legal or absurd."""
    timing = spec.timing
    size = nearest_size(spec.geometry, draw(st.integers(64, 2000)), draw(st.integers(64, 2000)))
    values: dict[str, Any] = {
        "n": draw(sometimes(st.integers(1, spec.max_outputs), ODD_WHOLES)),
        "seed": draw(sometimes(st.none() | st.integers(0, 2**63 - 1), ODD_WHOLES)),
        "fps": draw(sometimes(st.none() | st.just(float(timing.max_fps)), ODD_NUMBERS)),
        "seconds": draw(
            sometimes(st.none() | st.floats(timing.min_frames / 24, timing.max_frames / 24), ODD_NUMBERS, 8)
        ),
        "num_frames": draw(sometimes(st.none(), st.integers(timing.min_frames, timing.max_frames) | ODD_WHOLES, 4)),
        "options": draw(
            st.dictionaries(
                st.sampled_from(["steps", "gain", "mode", "on"]) | sometimes(st.just("steps"), ODD_TEXT),
                sometimes(st.just(5) | st.just("a") | st.just(0.5) | st.booleans(), ODD_NUMBERS | ODD_TEXT, 8),
                max_size=1,
            )
        ),
    }
    if draw(st.booleans()):
        values["width"], values["height"] = draw(
            sometimes(st.just(size), st.tuples(st.none() | ODD_WHOLES, st.none() | ODD_WHOLES | st.just(7)))
        )
    shape = st.sampled_from(["16:9", "9:16", "1:1", "4 : 3", "2.39x1"])
    values["loose_size"] = draw(sometimes(st.just(False), st.just(True), 3))
    values["aspect_ratio"] = draw(sometimes(st.none(), sometimes(shape, ODD_TEXT | st.just("0:9"), 4), 4))
    values["short_edge"] = draw(sometimes(st.none(), sometimes(st.integers(32, 800), ODD_WHOLES, 4), 4))
    sounds = {"always": True, "never": False, "choice": draw(st.booleans())}
    values["generate_audio"] = draw(sometimes(st.none() | st.just(sounds[spec.sound]), st.booleans(), 8))
    return values


@st.composite
def spoken(draw: st.DrawFn, spec: EngineSpec, prompt: str) -> tuple[float, ...]:
    from triptych.rules.span import quoted

    if not (spec.speech.speaks and spec.speech.available):
        return ()
    return tuple(draw(sometimes(st.just(0.1), st.sampled_from([0.0, 9.0]))) for _ in quoted(prompt))


def tamed(one: Asked, spec: EngineSpec) -> Asked:
    """The same request without most of what makes it illegal, so that plans are reached often.

    What the bytes show is left as it is: lengths, shapes, parts and formats are still refused.
    """
    request = one.request
    plain: dict[str, Any] = dict.fromkeys(
        ("width", "height", "aspect_ratio", "short_edge", "seconds", "num_frames", "fps", "seed", "task")
    )
    plain["generate_audio"] = None
    kept = [
        (replace(reference, modality=probe.modality, name=None, sound=False, fit=None), probe)
        for reference, probe in zip(request.references, one.probes, strict=True)
        if reference.role in spec.roles and probe.modality in spec.roles[reference.role].modalities
    ]
    kept = [pair for index, pair in enumerate(kept) if _room(pair, kept[:index], spec)]
    if any(reference.role is Role.REFERENCE for reference, _ in kept) and spec.exclusive:
        kept = [pair for pair in kept if pair[0].role not in (Role.FIRST_FRAME, Role.LAST_FRAME)]
    clips = [reference.field for reference, probe in kept if _is_clip(reference, probe)]
    kept = [
        (replace(reference, soundtrack_of=clips.pop() if owned else None), probe)
        for reference, probe in kept
        if not (owned := reference.role is Role.SOUNDTRACK) or clips
    ]
    notes = tuple(replace(note, id="note", kind="text") for note in request.artifacts[:1])
    return Asked(
        request=replace(
            request,
            **plain,
            references=tuple(reference for reference, _ in kept),
            artifacts=notes,
            prompt="a boat",
            options={},
            n=1,
            require_speech=False,
            fit=None,
        ),
        probes=tuple(probe for _, probe in kept),
        spoken_seconds=(),
    )


def _is_clip(reference: Reference, probe: Probe) -> bool:
    return reference.role is Role.REFERENCE and probe.modality is Modality.VIDEO


def _room(pair: tuple[Reference, Probe], before: list[tuple[Reference, Probe]], spec: EngineSpec) -> bool:
    """Whether one more input may be given, by the caps alone."""
    reference, probe = pair
    held = [seen for earlier, seen in before if earlier.role is reference.role]
    if len(held) >= spec.roles[reference.role].most:
        return False
    if reference.role is not Role.REFERENCE:
        return True
    same = sum(seen.modality is probe.modality for seen in held)
    return same < spec.caps.of(probe.modality) and (spec.caps.total is None or len(held) < spec.caps.total)
