"use strict";
// Starts `planproof lsp` and shows what its commands answer. Everything else is the server's.

const fs = require("node:fs");
const path = require("node:path");
const vscode = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

let client;

/** The program of the settings, else the one in the extension's folder, else that on the PATH. */
function program(context) {
  const set = vscode.workspace.getConfiguration("planproof").get("path");
  if (set) return set;
  const own = path.join(context.extensionPath, "bin", process.platform === "win32" ? "planproof.exe" : "planproof");
  return fs.existsSync(own) ? own : "planproof";
}

/** Runs a command of the server and opens the text that it answers beside the editor. */
async function execute(command, args, next) {
  const answer = await next(command, args);
  if (answer && answer.text) {
    const language = command === "planproof.solve" ? "plan" : "plaintext";
    const document = await vscode.workspace.openTextDocument({ language, content: answer.text });
    await vscode.window.showTextDocument(document, { viewColumn: vscode.ViewColumn.Beside, preview: true, preserveFocus: true });
  }
  return answer;
}

async function activate(context) {
  const settings = vscode.workspace.getConfiguration("planproof");
  const run = {
    command: program(context),
    args: ["lsp", "--time", settings.get("time") || "60s", "--memory", settings.get("memory") || "1GB"],
  };
  client = new LanguageClient("planproof", "planproof", { run, debug: run }, {
    documentSelector: [{ language: "pddl" }, { language: "plan" }],
    middleware: { executeCommand: execute },
  });
  try {
    await client.start();
  } catch (err) {
    vscode.window.showErrorMessage(`planproof does not start (${run.command}): ${err.message}. The setting planproof.path names the program.`);
  }
}

async function deactivate() {
  if (client) await client.stop();
  client = undefined;
}

module.exports = { activate, deactivate, program };
