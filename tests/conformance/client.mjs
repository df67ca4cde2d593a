// Calls an unmodified openai-node as it is told, line by line; see client.py, which does the same for Python.
// Its one argument is the folder that the client is installed in.

import fs from "node:fs";
import { createRequire } from "node:module";
import { createInterface } from "node:readline";

const require = createRequire(`${process.argv[2]}/`);
const OpenAI = require("openai");
const { toFile } = OpenAI;

const METHODS = {
  download_content: "downloadContent",
  create_character: "createCharacter",
  get_character: "getCharacter",
};

// A value as a caller of the SDK would write it; {"$": how, "file": path} is a file in one of the SDK's ways.
async function given(value) {
  if (Array.isArray(value)) return Promise.all(value.map(given));
  if (value === null || typeof value !== "object") return value;
  if (!("$" in value)) {
    return Object.fromEntries(await Promise.all(Object.entries(value).map(async ([name, item]) => [name, await given(item)])));
  }
  if (value.$ === "object") return fs.createReadStream(value.file);
  if (value.$ === "path") return toFile(fs.createReadStream(value.file));
  if (value.$ === "bytes") return new File([fs.readFileSync(value.file)], "upload");
  if (value.$ === "tuple") return toFile(fs.readFileSync(value.file), value.name, { type: value.type });
  throw new TypeError(`no way to give a file: ${value.$}`);
}

async function answer(client, call) {
  const body = { ...(await given(call.body ?? {})), ...(await given(call.extra ?? {})) };
  const options = call.headers ? { headers: call.headers } : {};
  if (call.call === "post") return client.post(call.path, { body, ...options });
  const [resource, method] = call.call.split(".");
  const target = client[resource];
  if (method === "list_all") {
    const ids = [];
    for await (const item of target.list(body)) ids.push(item.id);
    return ids;
  }
  const ids = call.ids ?? [];
  const takesBody = Object.keys(body).length > 0 || ids.length === 0;
  const result = await target[METHODS[method] ?? method](...ids, ...(takesBody ? [body, options] : [options]));
  if (call.save !== undefined) {
    fs.writeFileSync(call.save, Buffer.from(await result.arrayBuffer()));
    return { content_type: result.headers.get("content-type") };
  }
  if (method === "list") {
    return { data: result.data.map((item) => item.id), has_more: result.has_more, last_id: result.last_id };
  }
  return result;
}

function told(error) {
  const found = { class: error.constructor.name, message: error.message };
  if (error instanceof OpenAI.APIError) {
    Object.assign(found, { text: error.error?.message, code: error.code, param: error.param, type: error.type });
    Object.assign(found, { status: error.status });
  }
  return found;
}

const clients = new Map();
for await (const line of createInterface({ input: process.stdin })) {
  const call = JSON.parse(line);
  if (!clients.has(call.base_url)) {
    clients.set(call.base_url, new OpenAI({ baseURL: call.base_url, apiKey: "unused" }));
  }
  let done;
  try {
    done = { result: await answer(clients.get(call.base_url), call) };
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    done = { error: told(error) };
  }
  process.stdout.write(`${JSON.stringify(done)}\n`);
}
