import assert from "node:assert/strict";
import { test } from "node:test";
import { advice, commands, expanded, firstThatRuns, forServer } from "../command";

const home = "/home/someone";

test("a setting leaves no choice", () => {
  const all = { path: "~/bin/devlint", interpreter: "/usr/bin/python3", active: "/venv/bin/python", home };
  assert.deepEqual(commands(all), [{ program: "/home/someone/bin/devlint", arguments: ["server"] }]);
  assert.deepEqual(commands({ ...all, path: "" }), [
    { program: "/usr/bin/python3", arguments: ["-m", "devlint", "server"] },
  ]);
});

test("without settings the chosen interpreter goes before what is on the PATH", () => {
  const onPath = { program: "devlint", arguments: ["server"] };
  assert.deepEqual(commands({ path: null, interpreter: null, active: undefined, home }), [onPath]);
  assert.deepEqual(commands({ active: "/venv/bin/python", home }), [
    { program: "/venv/bin/python", arguments: ["-m", "devlint", "server"] },
    onPath,
  ]);
});

test("paths may begin with ~ and name the folder", () => {
  assert.equal(expanded("~/x", undefined, home), "/home/someone/x");
  assert.equal(expanded("~user/x", undefined, home), "~user/x");
  assert.equal(expanded("${workspaceFolder}/.venv/bin/python", "/code/$&", home), "/code/$&/.venv/bin/python");
  assert.equal(expanded("${workspaceFolder}/x", undefined, home), "${workspaceFolder}/x");
});

test("the first command that runs is taken", async () => {
  const candidates = commands({ active: "/venv/bin/python", home });
  const asked: string[] = [];
  const found = await firstThatRuns(candidates, async (program, parameters) => {
    asked.push([program, ...parameters].join(" "));
    return program === "devlint";
  });
  assert.equal(found, candidates[1]);
  assert.deepEqual(asked, ["/venv/bin/python -m devlint server --help", "devlint server --help"]);
  assert.equal(await firstThatRuns(candidates, async () => false), undefined);
  assert.match(advice(candidates), /`\/venv\/bin\/python -m devlint server`, `devlint server`.*devlint\[server\]/);
});

test("the server gets paths without what only VS Code knows", () => {
  const given = { config: "${workspaceFolder}/devlint.toml", select: ["DEV1"], baseline: null };
  assert.deepEqual(forServer(given, "/code", home), { ...given, config: "/code/devlint.toml" });
  assert.equal(forServer(null, "/code", home), null);
});
