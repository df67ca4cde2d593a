"""``/files``: uploads that requests name by id; and ``/videos/characters``, which are named clips among them."""

from __future__ import annotations

from pathlib import Path

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from triptych.errors import InvalidRequest, NotFound, Problem
from triptych.jobs.store import StoredFile
from triptych.server import content, query
from triptych.server.body import received
from triptych.server.context import context_of, owner_of
from triptych.server.create import only, text_of, upload_of
from triptych.task import BlobSource, Modality, Reference, Role
from triptych.wire.file import CharacterDocument, DeletedFileDocument, FileDocument, FilePageDocument

router = APIRouter(prefix="/files", tags=["files"])
characters = APIRouter(prefix="/videos/characters", tags=["videos"])

CHARACTER = "character"
USUAL_PURPOSE = "user_data"
CONTENT_SECONDS = 3600


@router.post("")
async def create_file(request: Request) -> Response:
    """Upload a file, to be named by its id."""
    context = context_of(request)
    async with received(request, context) as body:
        only(body, "file", "purpose")
        upload, purpose = upload_of(body, "file"), text_of(body, "purpose", default=USUAL_PURPOSE)
        stored = await context.service.add_file(
            upload.blob,
            owner=owner_of(request),
            file_name=upload.file_name or "upload",
            media_type=upload.media_type or "application/octet-stream",
            purpose=purpose,
        )
        body.keep()
    return JSONResponse(_render(stored))


@router.get("")
async def list_files(request: Request) -> Response:
    """List uploads, the newest first."""
    asked = query.paging(request, "purpose")
    purpose = request.query_params.get("purpose", "")
    page = context_of(request).service.files(
        owner=owner_of(request), after=asked.after, limit=asked.limit, order=asked.order, purpose=purpose
    )
    document: FilePageDocument = {
        "object": "list",
        "data": [_render(stored) for stored in page.files],
        "first_id": page.files[0].id if page.files else None,
        "last_id": page.files[-1].id if page.files else None,
        "has_more": page.has_more,
    }
    return JSONResponse(document)


@router.get("/{file_id}")
async def retrieve_file(request: Request, file_id: str) -> Response:
    """One upload."""
    query.only(request)
    return JSONResponse(_render(context_of(request).service.file(file_id, owner=owner_of(request))))


@router.delete("/{file_id}")
async def delete_file(request: Request, file_id: str) -> Response:
    """Delete an upload. Jobs that use it keep what they need."""
    query.only(request)
    await context_of(request).service.delete_file(file_id, owner=owner_of(request))
    document: DeletedFileDocument = {"id": file_id, "object": "file", "deleted": True}
    return JSONResponse(document)


@router.head("/{file_id}/content", include_in_schema=False)
@router.get("/{file_id}/content")
async def download_file(request: Request, file_id: str) -> Response:
    """The bytes of an upload."""
    query.only(request)
    stored = context_of(request).service.file(file_id, owner=owner_of(request))
    return content.respond(
        request,
        Path(stored.blob.path),
        sha256=stored.blob.sha256,
        media_type=stored.media_type,
        file_name=stored.file_name,
        max_age_seconds=CONTENT_SECONDS,
    )


@characters.post("")
async def create_character(request: Request) -> Response:
    """Store a clip under a name, to be used as a reference by its id."""
    context = context_of(request)
    async with received(request, context) as body:
        only(body, "name", "video")
        name, upload = text_of(body, "name"), upload_of(body, "video")
        clip = Reference(role=Role.REFERENCE, source=BlobSource(upload.blob), field="video", modality=Modality.VIDEO)
        probe = await context.studio.probe(clip)
        if probe.modality is not Modality.VIDEO:
            message = f"a character is a clip, and this is {probe.modality} ({probe.container})"
            raise InvalidRequest([Problem(code="unsupported_modality", field="video", message=message)])
        stored = await context.service.add_file(
            upload.blob, owner=owner_of(request), file_name=name, media_type=probe.media_type, purpose=CHARACTER
        )
        body.keep()
    return JSONResponse(_character(stored))


@characters.get("/{character_id}")
async def retrieve_character(request: Request, character_id: str) -> Response:
    """A stored clip's id and name."""
    query.only(request)
    stored = context_of(request).service.file(character_id, owner=owner_of(request))
    if stored.purpose != CHARACTER:
        raise NotFound(f"There is no character {character_id[:100]!r}.")
    return JSONResponse(_character(stored))


def _render(stored: StoredFile) -> FileDocument:
    return {
        "id": stored.id,
        "object": "file",
        "bytes": stored.blob.size_bytes,
        "created_at": int(stored.created_at),
        "expires_at": None if stored.expires_at is None else int(stored.expires_at),
        "filename": stored.file_name,
        "purpose": stored.purpose,
        "status": "processed",
        "media_type": stored.media_type,
        "sha256": stored.blob.sha256,
    }


def _character(stored: StoredFile) -> CharacterDocument:
    return {
        "id": stored.id,
        "object": "character",
        "created_at": int(stored.created_at),
        "name": stored.file_name,
    }
