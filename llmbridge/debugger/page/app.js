// The page of the plan debugger. Everything that it knows about plans comes from answers of ask(); see
// llmbridge/debugger/doc.go for the requests.
import { ask, engineName, stop } from "./engine.js";

const $ = (id) => document.getElementById(id);

// el makes an element: its attributes, then its children, texts among them. Nothing is parsed as HTML.
function el(name, attrs = {}, ...children) {
  const e = document.createElement(name);
  for (const [k, v] of Object.entries(attrs)) {
    if (k === "on") for (const [event, f] of Object.entries(v)) e.addEventListener(event, f);
    else if (v !== null && v !== false && v !== undefined) e.setAttribute(k, v === true ? "" : v);
  }
  e.append(...children.filter((c) => c !== null && c !== undefined));
  return e;
}

// picture turns the text of an SVG into an element with a name for those who cannot see it.
function picture(svg, label) {
  const doc = new DOMParser().parseFromString(svg, "image/svg+xml");
  const e = document.importNode(doc.documentElement, true);
  e.setAttribute("role", "img");
  e.setAttribute("aria-label", label);
  return e;
}

const plural = (n, word) => `${n} ${word}${n === 1 ? "" : "s"}`;

// ---- requests, one at a time: a newer one makes the older one's answer void.

let turn = 0;

async function busy(what, status, work) {
  const mine = ++turn;
  status.className = "";
  status.textContent = `${what} …`;
  $("stop").hidden = false;
  try {
    return await work(() => mine !== turn);
  } catch (e) {
    if (mine === turn) showProblem(status, e);
  } finally {
    if (mine === turn) $("stop").hidden = true;
  }
}

function showProblem(status, e) {
  const p = e.problem || { code: "internal", message: String(e) };
  status.className = p.code === "limit" ? "warn" : "bad";
  status.textContent = p.code === "limit" ? "Not decided: a limit came first" : "No answer";
  const list = (p.diagnostics || []).map((d) => {
    const place = el("button", { type: "button", on: { click: () => jump(d) } }, `${d.file}:${d.line}:${d.column}`);
    return el("li", {}, place, ` ${d.severity}[${d.code}]: ${d.message}`, d.hint ? el("div", { class: "note" }, d.hint) : null);
  });
  $("errors").replaceChildren(list.length ? el("ul", {}, ...list) : el("p", {}, `${p.code}: ${p.message}`));
}

// jump selects the line of a diagnostic in its text.
function jump(d) {
  const box = $(d.file);
  if (!box || box.tagName !== "TEXTAREA") return;
  $("texts").open = true;
  const lines = box.value.split("\n");
  const start = lines.slice(0, d.line - 1).reduce((n, l) => n + l.length + 1, 0);
  box.focus();
  box.setSelectionRange(start, start + (lines[d.line - 1] || "").length);
}

// ---- the task

function taskOf() {
  return { domain_text: $("domain").value, problem_text: $("problem").value };
}

async function openTask(name) {
  await busy("Loading", $("status"), async () => {
    const t = await ask("task", { task: name });
    $("domain").value = t.domain_text;
    $("problem").value = t.problem_text;
    $("errors").replaceChildren();
    $("status").textContent = `${t.name}: ${plural(t.objects, "object")}, actions ${t.actions.join(", ")}`;
    clearResults();
  });
}

async function openFiles(files) {
  for (const f of files) {
    const text = await f.text();
    const box = /\(\s*define\s*\(\s*domain\b/i.test(text) ? "domain" : /\(\s*define\s*\(\s*problem\b/i.test(text) ? "problem" : "answer";
    $(box).value = text;
    if (box !== "answer") $("texts").open = true;
  }
  clearResults();
}

const sections = ["reading", "steps", "why", "timeline", "compare", "reward", "space"];

function clearResults() {
  for (const s of sections) $("s-" + s).hidden = true;
  for (const id of ["repairs", "graph", "rewards", "compare"]) $(id).replaceChildren();
  $("space-words").textContent = "";
}

// ---- judging

let shown = null; // the answer of the request "judge" that the page shows
let at = 0; // the step that is shown; 0 is the initial state

function answerOf(box) {
  return { ...taskOf(), answer: $(box).value, reader: $("reader").value, reward: $("reward").value };
}

async function judge() {
  await busy("Judging", $("status"), async (old) => {
    const r = await ask("judge", answerOf("answer"));
    if (old()) return;
    $("errors").replaceChildren();
    clearResults();
    shown = r;
    showVerdict(r);
    showReading(r);
    showSteps(r);
    $("s-why").hidden = r.verdict.valid;
    $("why").textContent = r.explanation;
    $("s-timeline").hidden = !r.timeline;
    $("timeline").replaceChildren(...(r.timeline ? [picture(r.timeline, "What the plan does over time")] : []));
    $("s-space").hidden = false;
    if ($("answer2").value.trim()) await compare(r, old);
    await showReward(r, old);
  });
}

function showVerdict(r) {
  const v = r.verdict;
  $("status").className = v.valid ? "good" : "bad";
  $("status").textContent = v.valid
    ? `Valid: ${plural(v.steps, "step")}, cost ${v.cost}`
    : `Not valid: ${v.failure.message}`;
}

function showReading(r) {
  const x = r.reading;
  $("s-reading").hidden = false;
  const more = [`Reader ${x.reader}, rule ${x.reading}, ${plural(x.plan.length, "step")}`];
  if (x.malformed) more.push(`${plural(x.malformed.length, "line")} that cannot be read as a step`);
  if (x.alternatives) more.push(`${plural(x.alternatives.length, "other list")} of steps`);
  if (x.claims_unsolvable) more.push("the answer says that there is no plan");
  if (x.status !== "plan") more.push(`status ${x.status}`);
  $("reading-words").textContent = more.join("; ") + ".";
  const byLine = new Map();
  r.steps.forEach((s) => { if (s.line && !byLine.has(s.line)) byLine.set(s.line, s); });
  const out = [];
  $("answer").value.split("\n").forEach((text, i) => {
    const s = byLine.get(i + 1);
    out.push(s ? el("mark", { class: s.state, title: `${s.text}: ${words(s)}` }, text) : text, "\n");
  });
  $("marked").replaceChildren(...out);
}

function words(s) {
  return { done: "executed", failed: "fails", malformed: "cannot be read", "not-reached": "not reached" }[s.state] + (s.culprit ? "; made a later condition false" : "");
}

function showSteps(r) {
  $("s-steps").hidden = false;
  const item = (i, text, s) => el("li", {},
    el("button", { type: "button", "aria-pressed": "false", "data-at": i, on: { click: () => showState(i) } }, text,
      s && s.state !== "done" ? el("span", { class: "tag " + (s.state === "not-reached" ? "" : "bad") }, words({ state: s.state })) : null,
      s && s.culprit ? el("span", { class: "tag warn" }, "culprit") : null));
  $("steps").replaceChildren(item(0, "initial state"), ...r.steps.map((s, i) => item(i + 1, s.text, s)));
  const failing = r.steps.findIndex((s) => s.state === "failed" || s.state === "malformed");
  showState(failing >= 0 ? failing + 1 : r.verdict.valid ? r.steps.length : 0, false);
}

// stateAfter plays the changes of the first n steps.
function stateAfter(r, n) {
  if (!r.start) return null;
  const facts = new Set(r.start.facts || []);
  for (let i = 0; i < n; i++) {
    const after = r.steps[i].after;
    if (!after) return null;
    (after.deleted || []).forEach((f) => facts.delete(f));
    (after.added || []).forEach((f) => facts.add(f));
  }
  return [...facts].sort();
}

function showState(n, focus = true) {
  at = n;
  $("steps").querySelectorAll("button").forEach((b, i) => {
    b.setAttribute("aria-pressed", String(i === n));
    b.tabIndex = i === n ? 0 : -1;
    if (i === n && focus) b.focus();
    if (i === n) b.scrollIntoView({ block: "nearest" });
  });
  const r = shown;
  const s = n ? r.steps[n - 1] : null;
  const failed = s && s.state !== "done";
  const facts = stateAfter(r, failed ? n - 1 : n);
  const scene = n === 0 || failed ? (n > 1 ? r.steps[n - 2].after : r.start) : s.after;
  const box = $("state");
  box.replaceChildren(el("h3", {}, failed ? `Before ${s.text}, which ${s.state === "failed" ? "fails" : "is " + words({ state: s.state })}` : n ? `After ${s.text}` : "Initial state"));
  if (failed && s.state === "failed" && r.verdict.failure) {
    box.append(el("p", { class: "bad" }, r.verdict.failure.message), el("p", {}, r.verdict.failure.because || ""));
  }
  if (!facts) {
    if (!failed || s.state === "failed") box.append(el("p", { class: "note" }, r.states || "No state is known here."));
    return;
  }
  if (scene && scene.picture) box.append(picture(scene.picture, "The blocks: " + facts.join(" ")));
  const added = new Set(!failed && n ? s.after.added || [] : []);
  const deleted = !failed && n ? s.after.deleted || [] : [];
  if (added.size || deleted.length) {
    box.append(el("h3", {}, "Changed"), el("ul", { class: "facts" },
      ...[...added].map((f) => el("li", { class: "good" }, "+ " + f)), ...deleted.map((f) => el("li", { class: "bad" }, "− " + f))));
  }
  box.append(el("h3", {}, "Holds"), el("ul", { class: "facts" }, ...facts.map((f) => el("li", { class: added.has(f) ? "good" : "" }, f))));
}

async function showReward(r, old) {
  const s = (await ask("score", answerOf("answer"))).score;
  if (old()) return;
  $("s-reward").hidden = false;
  const rows = [["cost", r.verdict.cost], ["status", s.status]];
  if (s.reward !== null) rows.push([`reward (${$("reward").value})`, s.reward]);
  for (const [k, v] of Object.entries(s.components || {})) rows.push([k, v]);
  if (s.error) rows.push(["error", s.error]);
  $("rewards").replaceChildren(tableOf(["part", "value"], rows));
}

function tableOf(head, rows) {
  return el("table", {}, el("thead", {}, el("tr", {}, ...head.map((h) => el("th", { scope: "col" }, h)))),
    el("tbody", {}, ...rows.map((row) => el("tr", {}, ...row.map((c, i) => (c instanceof Node ? el("td", {}, c) : el(i ? "td" : "th", i ? {} : { scope: "row" }, String(c))))))));
}

async function compare(r, old) {
  const other = await ask("judge", answerOf("answer2"));
  if (old()) return;
  const line = (v) => (v.valid ? `valid, cost ${v.cost}` : `not valid: ${v.failure.message}`);
  const rows = [["verdict", line(r.verdict), line(other.verdict)]];
  const n = Math.max(r.steps.length, other.steps.length);
  let parted = 0;
  for (let i = 0; i < n; i++) {
    const a = r.steps[i], b = other.steps[i];
    if (!parted && (!a || !b || a.text !== b.text)) parted = i + 1;
    const cell = (s) => el("span", { class: !s ? "" : s.state === "failed" || s.state === "malformed" ? "bad" : parted === i + 1 ? "warn" : "" }, s ? s.text + (s.state === "done" ? "" : ` (${words({ state: s.state })})`) : "");
    rows.push([i + 1, cell(a), cell(b)]);
  }
  $("s-compare").hidden = false;
  $("compare").replaceChildren(el("p", {}, parted ? `The plans part at step ${parted}.` : "The plans are the same."), tableOf(["step", "answer", "second answer"], rows));
}

async function repair() {
  await busy("Looking for repairs", $("status"), async (old) => {
    const p = await ask("repair", { ...taskOf(), plan: shown.text });
    if (old()) return;
    showVerdict(shown);
    const one = (title, x) => {
      if (!x) return null;
      if (x.status !== "found") return el("div", {}, el("h3", {}, title), el("p", {}, `${x.status}${x.reason ? ": " + x.reason : ""}`));
      const script = x.script || x.plan.map((action) => ({ op: "keep", action }));
      return el("div", {}, el("h3", {}, `${title}: cost ${x.cost}, ${plural(x.edits, "edit")}${x.proven ? ", proved best" : ""}`),
        el("ul", { class: "edits" }, ...script.map((e) => el("li", { class: e.op }, { keep: "  ", insert: "+ ", delete: "− " }[e.op] + e.action))),
        el("button", { type: "button", on: { click: () => { $("answer").value = x.plan.join("\n"); $("reader").value = "plan"; judge(); } } }, "Judge this plan"));
    };
    const shownRepairs = [one("Nearest valid plan", p.nearest), one("Cheapest completion of what can be executed", p.completion)].filter(Boolean);
    $("repairs").replaceChildren(...(shownRepairs.length ? shownRepairs : [el("p", {}, p.error || "There is none.")]));
  });
}

async function takeCheapest() {
  await busy("Searching", $("status"), async (old) => {
    const r = await ask("solve", taskOf());
    if (old()) return;
    $("errors").replaceChildren();
    if (r.plan) {
      $("answer").value = r.plan.join("\n");
      $("reader").value = "plan";
      await judge();
      return;
    }
    $("status").className = r.status === "unsolvable" ? "bad" : "warn";
    $("status").textContent = r.status === "unsolvable" ? "There is no plan: proved" : `${r.status}${r.reason ? ": " + r.reason : ""}${r.bounds ? `; at least ${r.bounds.lower}` : ""}`;
  });
}

async function drawSpace() {
  await busy("Enumerating states", $("status"), async (old) => {
    const r = await ask("space", { ...taskOf(), plan: shown.text });
    if (old()) return;
    showVerdict(shown);
    const way = r.path.map((d) => (d === null ? "dead end" : d)).join(", ");
    $("space-words").textContent = `${plural(r.states, "state")}, ${plural(r.edges, "transition")}, ${plural(r.goals, "goal state")}, ${plural(r.dead_ends, "dead end")}. ` +
      (r.distance === null ? "The goal cannot be reached." : `The cheapest plan costs ${r.distance}.`) + (way ? ` Distances along the plan: ${way}.` : "");
    $("graph").replaceChildren(picture(r.svg, $("space-words").textContent));
  });
}

// ---- permalinks: all inputs, compressed, after the #; they never reach a server.

const fields = ["domain", "problem", "answer", "answer2", "reader", "reward"];

// A link of a few kilobytes can stand for gigabytes: this is the most that is unpacked.
const mostUnpacked = 32 << 20;

async function pipe(bytes, stream) {
  const parts = [];
  let size = 0;
  for (const reader = new Blob([bytes]).stream().pipeThrough(stream).getReader(); ;) {
    const { done, value } = await reader.read();
    if (done) return new Uint8Array(await new Blob(parts).arrayBuffer());
    if ((size += value.length) > mostUnpacked) {
      await reader.cancel();
      throw new RangeError("the link holds too much");
    }
    parts.push(value);
  }
}

async function permalink() {
  const state = Object.fromEntries(fields.map((f) => [f, $(f).value]));
  const bytes = await pipe(new TextEncoder().encode(JSON.stringify(state)), new CompressionStream("deflate-raw"));
  let text = "";
  for (const b of bytes) text += String.fromCharCode(b);
  location.hash = btoa(text).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
  let copied = false;
  try { await navigator.clipboard.writeText(location.href); copied = true; } catch { /* the address bar has it */ }
  $("linkout").textContent = copied ? "The link is copied, and in the address bar." : "The link is in the address bar.";
}

async function fromLink() {
  const hash = location.hash.slice(1);
  if (!hash) return false;
  try {
    const bytes = Uint8Array.from(atob(hash.replaceAll("-", "+").replaceAll("_", "/")), (c) => c.charCodeAt(0));
    const state = JSON.parse(new TextDecoder().decode(await pipe(bytes, new DecompressionStream("deflate-raw"))));
    for (const f of fields) if (typeof state[f] === "string") $(f).value = state[f];
    $("second").open = Boolean($("answer2").value);
    await judge();
  } catch (e) {
    $("status").className = "bad";
    $("status").textContent = e instanceof RangeError ? `This link holds more than ${mostUnpacked >> 20} MB.` : "This link is damaged.";
  }
  return true;
}

// ---- the other panels

async function drawBoxNet() {
  await busy("Drawing", $("box-status"), async (old) => {
    const r = await ask("boxnet", { rows: $("boxrow").value, reading: $("boxreading").value });
    if (old()) return;
    const v = r.verdict;
    $("box-status").className = v ? (v.valid ? "good" : "bad") : "";
    $("box-status").textContent = v ? (v.valid ? `Valid: ${plural(v.steps, "step")}` : `Not valid: ${v.failure.message}`) : `${r.id}: no plan`;
    $("box-picture").replaceChildren(picture(r.svg, "The robots, the objects and their targets"));
  });
}

async function showEpisodes() {
  await busy("Reading", $("episode-status"), async (old) => {
    const list = await ask("episode", { rows: $("rows").value });
    if (old()) return;
    $("episode-status").textContent = plural(list.length, "episode");
    $("transcript").replaceChildren(...list.map((r) => el("details", { open: list.length === 1 },
      el("summary", {}, `${r.task}, ${r.agent}: ${r.passed ? "passed" : r.end || r.status} after ${plural((r.turns || []).length, "turn")}${r.cost ? `, cost ${r.cost} of ${r.optimum}` : ""}`),
      ...(r.turns || []).map((t, i) => el("div", { class: "turn" }, el("h3", {}, `Turn ${i + 1}${t.passed ? ": passed" : ""}`),
        t.response ? el("details", {}, el("summary", {}, "Response"), el("pre", {}, t.response)) : null,
        el("pre", {}, (t.plan || []).join("\n")),
        t.fault ? el("p", { class: "bad" }, t.fault) : null,
        ...(t.new || []).map((c) => el("p", { class: "warn" }, "Disclosed: " + c)),
        ...(t.repeated || []).map((c) => el("p", { class: "bad" }, "Violated again: " + c)),
        t.feedback ? el("p", {}, t.feedback) : null)))));
  });
}

// ---- wiring

function tabs() {
  const all = [...document.querySelectorAll("[role=tab]")];
  const choose = (t) => all.forEach((x) => {
    x.setAttribute("aria-selected", String(x === t));
    x.tabIndex = x === t ? 0 : -1;
    $(x.getAttribute("aria-controls")).hidden = x !== t;
  });
  all.forEach((t, i) => {
    t.addEventListener("click", () => choose(t));
    t.addEventListener("keydown", (e) => {
      const to = { ArrowRight: i + 1, ArrowLeft: i - 1 }[e.key];
      if (to === undefined) return;
      const next = all[(to + all.length) % all.length];
      choose(next);
      next.focus();
    });
  });
}

function submit(form, f) {
  $(form).addEventListener("submit", (e) => { e.preventDefault(); f(); });
}

tabs();
submit("open", () => openTask($("task").value.trim()));
submit("judge", judge);
submit("boxnet", drawBoxNet);
submit("episode", showEpisodes);
$("files").addEventListener("change", (e) => openFiles(e.target.files));
$("solve").addEventListener("click", takeCheapest);
$("repair").addEventListener("click", repair);
$("space").addEventListener("click", drawSpace);
$("link").addEventListener("click", permalink);
$("stop").addEventListener("click", () => { turn++; stop(); $("stop").hidden = true; $("status").className = "warn"; $("status").textContent = "Stopped"; });
document.addEventListener("keydown", (e) => { if (e.key === "Enter" && (e.ctrlKey || e.metaKey)) judge(); });
$("steps").addEventListener("keydown", (e) => {
  const to = { ArrowDown: at + 1, ArrowRight: at + 1, ArrowUp: at - 1, ArrowLeft: at - 1, Home: 0, End: shown.steps.length }[e.key];
  if (to === undefined) return;
  e.preventDefault();
  showState(Math.min(Math.max(to, 0), shown.steps.length));
});
addEventListener("hashchange", fromLink);
$("engine").textContent = engineName;

(async () => {
  try {
    const kinds = await ask("tasks", {});
    $("tasks").replaceChildren(...kinds.map((k) => el("option", { value: k.example }, k.doc)));
    if (!(await fromLink())) await openTask($("task").value);
    document.documentElement.dataset.ready = "yes";
  } catch (e) {
    showProblem($("status"), e);
  }
})();
