"""Calls an unmodified openai-python as it is told, line by line. Runs in that client's own environment.

One line of JSON in is one call; one line out is its result, or what it raised. ``client.mjs`` does the same for Node.
"""

from __future__ import annotations

import asyncio
import inspect
import json
import sys
from pathlib import Path
from typing import Any

import openai

Call = dict[str, Any]


def given(value: Any) -> Any:
    """A value as a caller of the SDK writes it; ``{"$": how, "file": path}`` is a file in one of the SDK's ways."""
    if isinstance(value, list):
        return [given(item) for item in value]
    if not isinstance(value, dict):
        return value
    if "$" not in value:
        return {name: given(item) for name, item in value.items()}
    path = Path(value["file"])
    if value["$"] == "object":
        return path.open("rb")
    if value["$"] == "path":
        return path
    if value["$"] == "bytes":
        return path.read_bytes()
    if value["$"] == "tuple":
        return (value["name"], path.read_bytes(), value["type"])
    raise ValueError(f"no way to give a file: {value['$']}")


def arguments(call: Call) -> dict[str, Any]:
    named = given(call.get("body", {}))
    for name in ("extra", "headers", "query"):
        if call.get(name):
            named[f"extra_{'body' if name == 'extra' else name}"] = given(call[name])
    return dict(named)


async def settled(value: Any) -> Any:
    """What a call of the blocking or of the async client gave, waited for."""
    return await value if inspect.isawaitable(value) else value


async def answer(client: Any, call: Call) -> Any:
    name, named = call["call"], arguments(call)
    if name == "post":
        return await settled(client.post(call["path"], cast_to=object, body=named, options=call.get("options", {})))
    resource, _, method = name.rpartition(".")
    target = getattr(client, resource)
    if method == "list_all":
        pages = target.list(**named)
        return [item.id async for item in pages] if hasattr(pages, "__aiter__") else [item.id for item in pages]
    result = await settled(getattr(target, method)(*call.get("ids", ()), **named))
    if "save" in call:
        result.write_to_file(call["save"])
        return {"content_type": result.response.headers["content-type"]}
    if method == "list":
        return {"data": [item.id for item in result.data], "has_more": result.has_more, "last_id": result.last_id}
    return result.model_dump(mode="json")


def told(error: Exception) -> Call:
    found = {"class": type(error).__name__, "message": str(error)}
    if isinstance(error, openai.APIError):
        found |= {"text": error.message, "code": error.code, "param": error.param, "type": error.type}
    if isinstance(error, openai.APIStatusError):
        found |= {"status": error.status_code}
    return found


async def main(is_async: bool) -> None:
    make = openai.AsyncOpenAI if is_async else openai.OpenAI
    clients: dict[str, Any] = {}
    for line in sys.stdin:
        call = json.loads(line)
        url = call["base_url"]
        if url not in clients:
            clients[url] = make(base_url=url, api_key="unused")
        try:
            done = {"result": await answer(clients[url], call)}
        except (openai.OpenAIError, RuntimeError, TypeError) as error:
            done = {"error": told(error)}
        print(json.dumps(done), flush=True)


asyncio.run(main(sys.argv[1] == "async"))
