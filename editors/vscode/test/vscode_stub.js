"use strict";
// What stands in for VS Code: the classes of jest-mock-vscode, registrations that are kept, events that tests fire.

const { createVSCodeMock } = require("jest-mock-vscode");

function fn(implementation) {
  const f = (...args) => (f.implementation ? f.implementation(...args) : undefined);
  f.implementation = implementation;
  for (const name of ["mockImplementation", "mockName", "mockReturnValue", "mockClear", "mockReset"])
    f[name] = (x) => {
      if (name === "mockImplementation") f.implementation = x;
      if (name === "mockReturnValue") f.implementation = () => x;
      return f;
    };
  return f;
}

function makeVSCode(settings, folder) {
  const mock = createVSCodeMock({ fn });
  const kept = { providers: {}, commands: {}, diagnostics: new Map(), shown: [], messages: [] };
  const events = {};
  const event = (name) => (listener, self) => {
    (events[name] ||= []).push(self ? listener.bind(self) : listener);
    return { dispose() {} };
  };
  const fire = (name, value) => Promise.all((events[name] || []).map((f) => f(value)));
  const disposable = () => ({ dispose() {} });

  // A member that is missing is an event, a registration that is kept, or a function that does nothing.
  const space = (own) =>
    new Proxy(own, {
      get(target, key) {
        if (key in target) return target[key];
        if (typeof key === "symbol") return undefined;
        if (/^on(Did|Will)/.test(key)) return event(key);
        if (/^register/.test(key)) return (selector, provider) => ((kept.providers[key] ||= []).push(provider), disposable());
        if (/^create/.test(key)) return () => new Proxy({}, { get: (t, k) => (/^on/.test(String(k)) ? event(`${key}.${String(k)}`) : () => undefined) });
        return () => undefined;
      },
    });
  const documents = [];
  const collection = { name: "planproof", set: (uri, list) => kept.diagnostics.set(uri.toString(), list), delete: (uri) => kept.diagnostics.delete(uri.toString()), clear() {}, dispose() {}, get: (uri) => kept.diagnostics.get(uri.toString()), has: () => false, forEach() {} };
  const vscode = {
    env: { appName: "test", language: "en", onDidChangeTelemetryEnabled: event("telemetry") },
    version: "1.91.0",
    workspace: space({
      textDocuments: documents,
      notebookDocuments: [],
      workspaceFolders: [{ uri: mock.Uri.file(folder), name: "w", index: 0 }],
      getWorkspaceFolder: () => ({ uri: mock.Uri.file(folder), name: "w", index: 0 }),
      getConfiguration: () => ({ get: (key, otherwise) => (key in settings ? settings[key] : otherwise), has: () => false, inspect: () => undefined }),
      openTextDocument: async (what) => (kept.shown.push(what), what),
      isTrusted: true,
      fs: {},
    }),
    window: space({
      activeTextEditor: undefined,
      visibleTextEditors: [],
      tabGroups: { all: [], onDidChangeTabs: event("tabs"), onDidChangeTabGroups: event("groups") },
      showTextDocument: async (document) => document,
      showErrorMessage: async (text) => void kept.messages.push(text),
      showInformationMessage: async (text) => void kept.messages.push(text),
      showWarningMessage: async (text) => void kept.messages.push(text),
      withProgress: (options, task) => task({ report() {} }, { isCancellationRequested: false, onCancellationRequested: event("cancel") }),
      createOutputChannel: () => ({ append() {}, appendLine() {}, info() {}, warn() {}, error(x) { kept.messages.push(String(x)); }, trace() {}, debug() {}, show() {}, dispose() {}, onDidChangeLogLevel: event("level"), logLevel: 0 }),
    }),
    languages: space({
      createDiagnosticCollection: () => collection,
      match: (selector, document) => ([].concat(selector).some((s) => s.language === document.languageId) ? 10 : 0),
    }),
    commands: space({ registerCommand: (name, run) => ((kept.commands[name] = run), disposable()) }),
  };
  const classes = {
    CancellationTokenSource: class {
      constructor() {
        this.token = { isCancellationRequested: false, onCancellationRequested: event("cancelled") };
      }
      cancel() {
        this.token.isCancellationRequested = true;
      }
      dispose() {}
    },
  };
  const whole = new Proxy(vscode, {
    get(target, key) {
      if (key in target) return target[key];
      if (!(key in classes) && key in mock) return mock[key];
      if (typeof key === "symbol" || key === "then") return undefined;
      return (classes[key] ||= class {
        constructor(...args) {
          this.args = args;
        }
      });
    },
  });
  /** Opens a document in the editor, as far as extensions see. */
  async function open(uri, languageId, text) {
    const lines = () => document.getText().split("\n");
    const document = {
      uri, languageId, version: 1, fileName: uri.fsPath, isClosed: false, isDirty: false, isUntitled: false, eol: 1,
      getText: () => text,
      get lineCount() { return lines().length; },
    };
    documents.push(document);
    await fire("onDidOpenTextDocument", document);
    return {
      document,
      /** Replaces the whole text. */
      async type(now) {
        const last = lines();
        const range = new mock.Range(0, 0, last.length - 1, last[last.length - 1].length);
        text = now;
        document.version++;
        await fire("onDidChangeTextDocument", { document, reason: undefined, contentChanges: [{ range, rangeOffset: 0, rangeLength: 0, text: now }] });
      },
    };
  }
  return { vscode: whole, kept, open, mock };
}

module.exports = { makeVSCode };
