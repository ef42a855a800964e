"use strict";
// The TextMate grammars, by the library that VS Code colours with.

const assert = require("node:assert");
const fs = require("node:fs");
const path = require("node:path");
const { test } = require("node:test");
const oniguruma = require("vscode-oniguruma");
const { Registry, parseRawGrammar, INITIAL } = require("vscode-textmate");

const wasm = oniguruma.loadWASM(fs.readFileSync(require.resolve("vscode-oniguruma/release/onig.wasm")));
const registry = new Registry({
  onigLib: wasm.then(() => ({ createOnigScanner: (p) => new oniguruma.OnigScanner(p), createOnigString: (s) => new oniguruma.OnigString(s) })),
  loadGrammar: async (scope) => {
    const file = path.join(__dirname, "..", "syntaxes", `${scope.replace("source.", "")}.tmLanguage.json`);
    return parseRawGrammar(fs.readFileSync(file, "utf8"), file);
  },
});

/** The innermost scope of each word of a text, as "word scope". */
async function words(scope, text) {
  const grammar = await registry.loadGrammar(scope);
  let stack = INITIAL;
  const out = [];
  for (const line of text.split("\n")) {
    const r = grammar.tokenizeLine(line, stack);
    stack = r.ruleStack;
    for (const t of r.tokens) {
      const word = line.slice(t.startIndex, t.endIndex).trim();
      if (word && !/^[()[\]:\s]+$/.test(word)) out.push(`${word} ${t.scopes.at(-1)}`);
    }
  }
  return out;
}

test("a domain", async () => {
  const got = await words("source.pddl", `; note
(define (domain blocks)
 (:requirements :strips :typing)
 (:types block - object)
 (:action pick-up :parameters (?x - block)
  :precondition (and (clear ?x) (not (held and)))
  :effect (increase (total-cost) -2.5)))`);
  for (const want of [
    "; note comment.line.semicolon.pddl", "define keyword.operator.pddl", "domain keyword.other.define.pddl", "blocks entity.name.namespace.pddl",
    ":requirements keyword.control.section.pddl", ":strips constant.language.requirement.pddl", "block entity.name.type.pddl", "object entity.name.type.pddl",
    ":action keyword.control.section.pddl", "pick-up entity.name.function.action.pddl", "?x variable.parameter.pddl", "and keyword.operator.pddl",
    "clear entity.name.function.pddl", "not keyword.operator.pddl", "and variable.other.constant.pddl", "increase keyword.operator.pddl", "-2.5 constant.numeric.pddl",
  ]) assert.ok(got.includes(want), `no ${want} in\n${got.join("\n")}`);
});

test("conditions over time, and a predicate that is called at", async () => {
  const got = await words("source.pddl", "(:durative-action go :condition (and (at start (at ?t home)) (over all (free ?t))))");
  for (const want of ["at start keyword.operator.pddl", "at entity.name.function.pddl", "over all keyword.operator.pddl", "home variable.other.constant.pddl", "go entity.name.function.action.pddl"])
    assert.ok(got.includes(want), `no ${want} in\n${got.join("\n")}`);
});

test("a plan", async () => {
  const got = await words("source.plan", "0.5: (drive t1 home) [2.5] ; done");
  assert.deepStrictEqual(got, ["0.5 constant.numeric.plan", "drive entity.name.function.action.plan", "t1 variable.other.constant.plan",
    "home variable.other.constant.plan", "2.5 constant.numeric.plan", "; done comment.line.semicolon.plan"]);
});
