"""Specs, probes and requests that the tests of the rules share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from triptych.rules.case import Case
from triptych.rules.spec import (
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
    Blob,
    BytesSource,
    Modality,
    Plan,
    Probe,
    Reference,
    Request,
    Role,
    Task,
)
from triptych.testing.double import ANYTHING as ANYTHING

IMAGE, VIDEO, AUDIO = Modality.IMAGE, Modality.VIDEO, Modality.AUDIO
PICTURE_ONLY = frozenset({IMAGE})
H3_SIZES = MappingProxyType(
    {(1280, 720): (1344, 768), (1792, 1024): (1344, 768), (720, 1280): (768, 1344), (1024, 1792): (768, 1344)}
)

H3_LIKE = EngineSpec(
    name="h3-like",
    summary="A double of a model with tight rules.",
    description="Nothing runs; its rules are those of a joint video and audio model.",
    tasks=frozenset({Task.T2VA, Task.FL2VA, Task.REF2VA}),
    roles=MappingProxyType(
        {
            Role.FIRST_FRAME: RoleRule(modalities=PICTURE_ONLY),
            Role.LAST_FRAME: RoleRule(modalities=PICTURE_ONLY),
            Role.REFERENCE: RoleRule(modalities=frozenset(Modality), most=12, fitted=False),
            Role.SOUNDTRACK: RoleRule(modalities=frozenset({AUDIO}), most=3),
        }
    ),
    caps=Caps(image=9, video=3, audio=3, total=12),
    exclusive=(
        Exclusive(
            one=frozenset({Role.FIRST_FRAME, Role.LAST_FRAME}),
            other=frozenset({Role.REFERENCE, Role.SOUNDTRACK}),
            reason="its weights for frames and for references are two",
        ),
    ),
    audio_alone=False,
    limits=MappingProxyType(
        {
            IMAGE: MediaLimits(min_aspect=0.25, max_aspect=4.0),
            VIDEO: MediaLimits(min_seconds=2, max_seconds=15, total_seconds=15, min_frames=13),
            AUDIO: MediaLimits(min_seconds=2, max_seconds=15, total_seconds=15),
        }
    ),
    geometry=Geometry(
        multiple=32,
        min_side=32,
        max_side=2688,
        max_pixels=768 * 1344,
        default=(1344, 768),
        short_edge=768,
        aliases=H3_SIZES,
    ),
    timing=Timing(
        default_fps=24,
        min_fps=24,
        max_fps=24,
        default_frames=124,
        min_frames=124,
        max_frames=345,
        asked_min_frames=108,
        step=17,
        offset=5,
        rounding="up",
        inputs="each",
        trained_seconds=(4.0, 15.0),
    ),
    options=MappingProxyType(
        {
            "num_inference_steps": Option(kind=int, default=50, minimum=2, maximum=200, help="denoising steps"),
            "flow_shift": Option(kind=float, default=12.0, minimum=0.0, maximum=100.0, help="of the pictures"),
        }
    ),
)

HOSTED = EngineSpec(
    name="hosted",
    summary="A double of a provider's reference endpoint.",
    description="Nothing runs; its rules are those of a queue in front of a model.",
    tasks=frozenset({Task.REF2VA}),
    roles=MappingProxyType({Role.REFERENCE: RoleRule(modalities=frozenset(Modality), most=12, fitted=False)}),
    caps=Caps(image=9, video=3, audio=3, total=12),
    audio_alone=False,
    limits=MappingProxyType(
        {
            IMAGE: MediaLimits(max_bytes=30_000_000, containers=frozenset({"png", "jpeg", "webp"})),
            VIDEO: MediaLimits(max_bytes=50_000_000, min_seconds=2, max_seconds=15, total_seconds=15),
            AUDIO: MediaLimits(
                max_bytes=15_000_000,
                min_seconds=2,
                max_seconds=15,
                total_seconds=15,
                total_bytes=20_000_000,
                containers=frozenset({"mp3", "wav"}),
            ),
        }
    ),
    geometry=Geometry(sizes=((1366, 768), (768, 768), (768, 1366)), default=(1366, 768)),
    timing=Timing(default_frames=120, min_frames=120, max_frames=360, step=24, offset=0, inputs="each"),
    options=MappingProxyType(
        {
            "resolution": Option(kind=str, default="2K", choices=("768P", "2K", "4K"), help="of the result"),
            "enable_safety_checker": Option(kind=bool, default=True),
        }
    ),
    tags=TagStyle(image="Image {n}", video="Video {n}", audio="Audio {n}"),
    max_prompt_chars=7000,
    max_outputs=4,
    max_total_bytes=60_000_000,
    uses_sound_of_clips=False,
)

GOING_ON = replace(
    ANYTHING,
    name="going-on",
    tasks=ANYTHING.tasks | {Task.EXTEND},
    roles=MappingProxyType({**ANYTHING.roles, Role.INPUT: RoleRule(modalities=frozenset({VIDEO}), shown=True)}),
    timing=Timing(min_fps=8, max_fps=60, default_frames=120, max_frames=1000, stretches=True, inputs="together"),
)
"""An engine that shows a clip and goes on from it."""

SPEAKING = replace(
    ANYTHING,
    name="speaking",
    speech=Speech(speaks=True, available=True, install="install it", start_seconds=0.5, gap_seconds=0.25),
)
MUTE = replace(SPEAKING, name="mute", speech=replace(SPEAKING.speech, available=False))

HASH = "0123456789abcdef" * 4


def ref(field: str = "one", modality: Modality | None = IMAGE, role: Role = Role.REFERENCE, **more: Any) -> Reference:
    """An input whose bytes nobody looks at."""
    return Reference(role=role, source=BytesSource(field.encode()), field=field, modality=modality, **more)


def refs(count: int, modality: Modality | None = IMAGE, stem: str = "image") -> tuple[Reference, ...]:
    """Several references of one kind."""
    return tuple(ref(f"{stem}[{index}]", modality) for index in range(count))


def image(width: int = 640, height: int = 360, **more: Any) -> Probe:
    """What a still looks like."""
    values = {"container": "png", "size_bytes": 1000, **more}
    return Probe(modality=IMAGE, media_type="image/png", sha256=HASH, width=width, height=height, frames=1, **values)


def clip(seconds: float = 3.0, *, width: int = 640, height: int = 360, sound: bool = False, **more: Any) -> Probe:
    """What a clip looks like."""
    values = {"container": "mov", "size_bytes": 1000, "fps": 24.0, "frames": max(1, round(seconds * 24)), **more}
    return Probe(
        modality=VIDEO,
        media_type="video/mp4",
        sha256=HASH,
        width=width,
        height=height,
        seconds=seconds,
        sample_rate=48000 if sound else 0,
        channels=2 if sound else 0,
        **values,
    )


def sound(seconds: float = 3.0, **more: Any) -> Probe:
    """What a sound looks like."""
    values = {"container": "wav", "size_bytes": 1000, **more}
    return Probe(
        modality=AUDIO, media_type="audio/wav", sha256=HASH, seconds=seconds, sample_rate=48000, channels=2, **values
    )


def blob(index: int = 0) -> Blob:
    """Bytes that nobody reads."""
    return Blob(path=f"nowhere/{index}", sha256=f"{index:064x}", size_bytes=1000)


def case(
    request: Request,
    spec: EngineSpec = ANYTHING,
    probes: Sequence[Probe] | Mapping[int, Probe] = (),
    spoken: tuple[float, ...] = (),
) -> Case:
    """A request beside a spec, with what was seen of its inputs."""
    seen = dict(probes) if isinstance(probes, Mapping) else dict(enumerate(probes))
    return Case(request=request, spec=spec, probes=seen, spoken_seconds=spoken)


def planned(
    request: Request,
    spec: EngineSpec = ANYTHING,
    probes: Sequence[Probe] = (),
    *,
    seed: int = 5,
    spoken: Sequence[float] = (),
) -> Plan:
    """A request's plan."""
    from triptych.rules.plan import plan

    blobs = [blob(index) for index in range(len(request.inputs))]
    return plan(request, spec, probes, blobs, seed=seed, spoken_seconds=spoken)


def told(problems: Any) -> list[tuple[str, str]]:
    """Code and field of each problem, in order."""
    return [(problem.code, problem.field) for problem in problems]
