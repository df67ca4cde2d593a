"""What the server is compared with: the same frameworks, used as they are by default, with nothing around the work."""

from __future__ import annotations

import asyncio
import functools
import hashlib
import itertools
import json
import os
import sqlite3
import types
from pathlib import Path
from typing import Any

import pybase64
from fastapi import FastAPI, HTTPException
from pydantic import BaseModel, ConfigDict
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

JOB = "job.json"


class Upload(BaseModel):
    """A file within JSON."""

    file: str
    purpose: str = "user_data"


class Stored(BaseModel):
    """What became of it."""

    sha256: str
    bytes: int


class Asked(BaseModel):
    """A request for a video."""

    prompt: str
    seconds: str = "4"
    size: str = "1280x720"
    model: str | None = None


class Video(BaseModel):
    """A job, with the keys that OpenAI's SDK knows; ours are carried along."""

    model_config = ConfigDict(extra="allow")

    id: str
    object: str
    model: str
    status: str
    progress: int
    created_at: int
    completed_at: int | None
    expires_at: int | None
    prompt: str | None
    seconds: str
    size: str
    remixed_from_video_id: str | None
    error: dict[str, Any] | None


def model_app(folder: Path) -> FastAPI:
    """FastAPI's default path: the body whole, as a pydantic model; base64 decoded whole, hashed, written.

    And the routes that create and retrieve, with nothing behind them but a dictionary, or with one that stores each
    job in a commit of its own. They answer with a document that is as long as the server's: a job of its, ``JOB`` in
    ``folder``.
    """
    app = FastAPI()
    app.state.context = stopping()
    jobs: dict[str, Video] = {}
    numbers = itertools.count()

    # A plain function, as for all work that blocks: FastAPI runs it in a thread.
    @app.post("/v1/files")
    def create_file(body: Upload) -> Stored:
        data = pybase64.b64decode(body.file, validate=True)
        sha256 = hashlib.sha256(data).hexdigest()
        (folder / sha256).write_bytes(data)
        return Stored(sha256=sha256, bytes=len(data))

    @app.post("/v1/videos")
    async def create_video(body: Asked) -> Video:
        id = f"video_{next(numbers):026d}"
        asked = {"id": id, "prompt": body.prompt, "seconds": body.seconds, "size": body.size}
        jobs[id] = Video(**{**_told(folder), **asked})
        return jobs[id]

    database: list[sqlite3.Connection] = []

    @app.post("/v1/stored-videos")
    async def store_video(body: Asked) -> Video:
        if not database:
            database.append(sqlite3.connect(folder / "bare.sqlite3", isolation_level=None))
            for statement in ("PRAGMA journal_mode = WAL", "PRAGMA synchronous = FULL", "CREATE TABLE job (id, text)"):
                database[0].execute(statement)
        made = await create_video(body)
        database[0].execute("INSERT INTO job VALUES (?, ?)", (made.id, made.model_dump_json()))
        return made

    @app.get("/v1/videos/{id}")
    async def retrieve_video(id: str) -> Video:
        if id not in jobs:
            raise HTTPException(404)
        return jobs[id]

    return app


def put_app(folder: Path) -> Starlette:
    """A body as it is, hashed and written as it comes."""
    numbers = itertools.count()

    async def put(request: Request) -> JSONResponse:
        path = folder / f"put-{next(numbers)}"
        digest, size_bytes = hashlib.sha256(), 0
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        try:
            async for chunk in request.stream():
                digest.update(chunk)
                size_bytes += os.write(descriptor, chunk)
        finally:
            os.close(descriptor)
        return JSONResponse({"sha256": digest.hexdigest(), "bytes": size_bytes})

    app = Starlette(routes=[Route("/put", put, methods=["PUT"])])
    app.state.context = stopping()
    return app


@functools.lru_cache
def _told(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder / JOB).read_text(encoding="utf-8"))
    return found


def stopping() -> types.SimpleNamespace:
    """What ``server.listen.Server`` expects of an app that it stops."""
    return types.SimpleNamespace(stopping=asyncio.Event())
