"use strict";
// The extension with the real client library against the real server; only VS Code itself is a stand-in. Run by test/run.

const assert = require("node:assert");
const fs = require("node:fs");
const Module = require("node:module");
const os = require("node:os");
const path = require("node:path");
const { test } = require("node:test");
const { makeVSCode } = require("./vscode_stub.js");

const root = fs.mkdtempSync(path.join(os.tmpdir(), "planproof-vscode-"));
const domain = path.join(root, "domain.pddl");
const problem = path.join(root, "p.pddl");
fs.writeFileSync(domain, `(define (domain d) (:predicates (on ?x) (off ?x))
  (:action turn :parameters (?x) :precondition (off ?x) :effect (and (on ?x) (not (off ?x)))))`);
const task = "(define (problem p) (:domain d) (:objects lamp) (:init (off lamp)) (:goal (on lamp)))";
fs.writeFileSync(problem, task);

const editor = makeVSCode({ path: process.env.PLANPROOF_TEST_BIN, time: "20s", memory: "500MB" }, root);
const load = Module._load;
Module._load = function (name, ...rest) {
  return name === "vscode" ? editor.vscode : load.call(this, name, ...rest);
};
const extension = require("../extension.js");

async function until(what, f) {
  for (let i = 0; i < 400; i++) {
    const value = f();
    if (value) return value;
    await new Promise((done) => setTimeout(done, 25));
  }
  assert.fail(`no ${what}; messages: ${editor.kept.messages.join("; ")}`);
}

test("the program is that of the settings, else that of the extension, else that on the PATH", () => {
  assert.strictEqual(extension.program({ extensionPath: root }), process.env.PLANPROOF_TEST_BIN);
  const plain = makeVSCode({}, root);
  const at = require.resolve("../extension.js");
  delete require.cache[at];
  Module._load = function (name, ...rest) {
    return name === "vscode" ? plain.vscode : load.call(this, name, ...rest);
  };
  const { program } = require("../extension.js");
  assert.strictEqual(program({ extensionPath: root }), "planproof");
  fs.mkdirSync(path.join(root, "bin"));
  fs.writeFileSync(path.join(root, "bin", "planproof"), "");
  assert.strictEqual(program({ extensionPath: root }), path.join(root, "bin", "planproof"));
});

test("faults, hover, completion and commands reach the editor", async () => {
  await extension.activate({ extensionPath: root, subscriptions: [] });
  assert.deepStrictEqual(editor.kept.messages, []);
  const uri = editor.mock.Uri.file(problem);
  const opened = await editor.open(uri, "pddl", task);
  await until("diagnostics", () => editor.kept.diagnostics.has(uri.toString()));
  assert.strictEqual(editor.kept.diagnostics.get(uri.toString()).length, 0);

  await opened.type(task.replace("(off lamp)", "(offf lamp)"));
  const faults = await until("fault", () => {
    const list = editor.kept.diagnostics.get(uri.toString());
    return list && list.length > 0 && list;
  });
  assert.match(faults[0].message, /undeclared predicate .offf..*did you mean 'off'/);
  assert.strictEqual(faults[0].range.start.character, task.indexOf("(off lamp)") + 1);
  await opened.type(task);

  const provider = (name) => editor.kept.providers[name][0];
  const none = { isCancellationRequested: false, onCancellationRequested: () => ({ dispose() {} }) };
  const hover = await provider("registerHoverProvider").provideHover(opened.document, new editor.mock.Position(0, task.indexOf("(off") + 2), none);
  assert.match(JSON.stringify(hover), /made false by `turn`/);
  const at = task.indexOf("(on lamp") + 4;
  const items = await provider("registerCompletionItemProvider").provideCompletionItems(opened.document, new editor.mock.Position(0, at), none, {});
  assert.ok((items.items || items).some((i) => i.label === "lamp" || i.label.label === "lamp"), JSON.stringify(items));

  assert.ok(editor.kept.commands["planproof.solve"], Object.keys(editor.kept.commands).join());
  const answer = await editor.kept.commands["planproof.solve"](uri.toString());
  assert.match(answer.message, /cost 1 in 1 step, and no plan is cheaper/);
  const shown = editor.kept.shown.at(-1);
  assert.strictEqual(shown.language, "plan");
  assert.match(shown.content, /\(turn lamp\)/);
  await extension.deactivate();
});
