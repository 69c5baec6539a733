/** The server, spoken to by the library that the extension speaks with. */

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { test } from "node:test";
import { createProtocolConnection, StreamMessageReader, StreamMessageWriter } from "vscode-languageserver-protocol/node";

const python = process.env["DEVLINT_PYTHON"];
const text = "import torch\n\nx = torch.zeros(2).cuda()\n";

test("findings and all safe fixes", { skip: python ? false : "DEVLINT_PYTHON names no Python with devlint" }, async () => {
  const server = spawn(String(python), ["-m", "devlint", "server", "--stdio"], { stdio: ["pipe", "pipe", "inherit"] });
  const connection = createProtocolConnection(
    new StreamMessageReader(server.stdout),
    new StreamMessageWriter(server.stdin),
  );
  const shown = new Promise<{ diagnostics: { code: string }[] }>((resolve) => {
    connection.onNotification("textDocument/publishDiagnostics", resolve);
  });
  connection.listen();
  const codeAction = { resolveSupport: { properties: ["edit"] }, dataSupport: true };
  const started = await connection.sendRequest<{ capabilities: { hoverProvider: boolean } }>("initialize", {
    processId: process.pid,
    rootUri: null,
    capabilities: { textDocument: { codeAction } },
  });
  assert.equal(started.capabilities.hoverProvider, true);
  await connection.sendNotification("initialized", {});
  const uri = "file:///nowhere/train.py";
  await connection.sendNotification("textDocument/didOpen", {
    textDocument: { uri, languageId: "python", version: 1, text },
  });
  assert.deepEqual((await shown).diagnostics.map((one) => one.code), ["DEV101"]);
  const place = { line: 0, character: 0 };
  const [action] = await connection.sendRequest<object[]>("textDocument/codeAction", {
    textDocument: { uri },
    range: { start: place, end: place },
    context: { diagnostics: [], only: ["source.fixAll.devlint"] },
  });
  const resolved = await connection.sendRequest<{ edit: { changes: Record<string, { newText: string }[]> } }>(
    "codeAction/resolve",
    action,
  );
  assert.ok(resolved.edit.changes[uri]?.some((edit) => edit.newText.includes("torch.cuda.is_available()")));
  await connection.sendRequest("shutdown");
  await connection.sendNotification("exit");
  await new Promise((resolve) => server.once("exit", resolve));
  connection.dispose();
});
