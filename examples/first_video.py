"""A picture in, a video out, and what became of the picture.

python examples/first_video.py PICTURE OUT.mp4 [SECONDS]
"""

from __future__ import annotations

import asyncio
import shutil
import sys
from pathlib import Path

import triptych


async def make_video(picture: Path, out: Path, *, seconds: float = 2.0) -> triptych.Result:
    """Render one reference picture and keep the video as ``out``."""
    request = triptych.Request(
        prompt="<Picture 1> at dusk",
        references=(
            triptych.Reference(
                role=triptych.Role.REFERENCE, source=triptych.PathSource(str(picture)), field=f"picture {picture.name}"
            ),
        ),
        width=640,
        height=360,
        seconds=seconds,
        seed=7,
    )
    policy = triptych.Policy(roots=(picture.parent,), max_bytes=64 << 20)
    async with triptych.Studio(policy=policy) as studio:
        plan = await triptych.prepare(request, studio)
        async for event in triptych.execute(plan, studio):
            if isinstance(event, triptych.Progress):
                print(f"{event.stage}: {event.fraction:.0%}", file=sys.stderr)
            else:
                shutil.copyfile(event.outputs[0].path, out)
                return event
    raise RuntimeError("the run ended without a result")


def main() -> int:
    """Read the command line; say what became of the picture, or everything that stands against it."""
    if len(sys.argv) not in (3, 4):
        print(f"usage: {sys.argv[0]} PICTURE OUT.mp4 [SECONDS]", file=sys.stderr)
        return 2
    picture, out, *seconds = sys.argv[1:]
    try:
        result = asyncio.run(make_video(Path(picture), Path(out), seconds=float(seconds[0]) if seconds else 2.0))
    except triptych.InvalidRequest as refusal:
        for problem in refusal.problems:
            print(problem, file=sys.stderr)
        return refusal.exit_code
    for receipt in result.receipts:
        print(f"{receipt.slot}: {', '.join(receipt.uses)}, {receipt.where}, sha256 {receipt.source_sha256}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
