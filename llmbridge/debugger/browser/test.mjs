// Drives the page of the plan debugger in headless Chromium, once answered by `planproof serve` and once by
// WebAssembly in a static folder, and compares its verdicts with those of `planproof validate --json`.
//
//   node test.mjs ROOT/planproof PLAYGROUND CHROMIUM [SCREENSHOTS]
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { createServer } from "node:http";
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, extname, join, normalize } from "node:path";
import { deflateRawSync } from "node:zlib";
import puppeteer from "puppeteer-core";

const [planproof, playground, chromium, shots] = process.argv.slice(2);
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

// The repository's root: beside it lie the golden responses and tasks that the tests in Go, Python and over HTTP use.
const root = dirname(planproof);
const lines = (file) => readFileSync(join(root, file), "utf8").trim().split("\n");

// The golden responses: 1,000 answers under ten rewards, and the SHA-256 of what they must be answered, byte for byte.
const responses = lines("rltrain/oracle/testdata/golden/requests.jsonl");
const scores = lines("rltrain/oracle/testdata/golden/scores.jsonl").map((line) => JSON.parse(line));

// The golden tasks with a cheapest plan each, and five wrong or longer plans made of it.
const golden = readdirSync(join(root, "testdata")).filter((f) => f.endsWith(".txtar")).sort().flatMap((f) => {
  const text = lines("testdata/" + f);
  const task = text[0].match(/^(\S+): a bundled task/)[1];
  const plan = text.slice(text.indexOf("-- plan --") + 1);
  return [plan, plan.slice(0, -1), plan.slice(1), [...plan.slice(0, 1), ...plan], [...plan.slice(0, 2), "(fly me to the moon)"], []]
    .map((steps) => ({ task, steps }));
});
const solved = (task) => golden.find((g) => g.task === task).steps;

function run(args, input) {
  const r = spawnSync(planproof, args, { input, encoding: "utf8" });
  if (r.error) throw r.error;
  return r;
}

function staticServer(folder, policy) {
  const types = { ".html": "text/html; charset=utf-8", ".js": "text/javascript", ".css": "text/css", ".gz": "application/octet-stream" };
  const server = createServer((q, r) => {
    const path = normalize(new URL(q.url, "http://x").pathname).replace(/^\/$/, "/index.html");
    try {
      const body = readFileSync(join(folder, path));
      r.writeHead(200, { "Content-Type": types[extname(path)] || "application/octet-stream", "Content-Security-Policy": policy });
      r.end(body);
    } catch {
      r.writeHead(404).end();
    }
  });
  return new Promise((done) => server.listen(0, "127.0.0.1", () => done(server)));
}

async function planproofServer() {
  const child = spawn(planproof, ["serve", "--listen", "127.0.0.1:0"], { stdio: ["ignore", "pipe", "inherit"] });
  const url = await new Promise((done) => child.stdout.once("data", (d) => done(String(d).match(/http:\S+/)[0])));
  return { child, url };
}

class Page {
  constructor(page, name) { this.page = page; this.name = name; this.faults = []; }

  async open(url) {
    this.page.on("pageerror", (e) => this.faults.push(String(e)));
    this.page.on("console", (m) => { if (m.type() === "error" && !/ 4(22|13) /.test(m.text())) this.faults.push(m.text()); });
    this.page.on("request", (q) => { if (!q.url().startsWith(new URL(url).origin) && !q.url().startsWith("data:")) this.faults.push("asks " + q.url()); });
    await this.page.goto(url);
    await this.page.waitForSelector("html[data-ready=yes]", { timeout: 60000 });
  }

  set(id, value) {
    return this.page.evaluate((id, value) => { document.getElementById(id).value = value; }, id, value);
  }

  text(id) { return this.page.evaluate((id) => document.getElementById(id).textContent, id); }

  // settled waits until the status no longer says that something is going on.
  async settled(id = "status") {
    await this.page.waitForFunction((id) => { const s = document.getElementById(id); return s.textContent && !s.textContent.endsWith("…"); }, { timeout: 60000 }, id);
    return this.text(id);
  }

  async click(id, status) {
    await this.page.evaluate((id) => document.getElementById(id).click(), id);
    return this.settled(status);
  }

  async load(task) {
    await this.set("task", task);
    await this.page.evaluate(() => document.querySelector("#open button").click());
    return this.settled();
  }

  async judge(answer, reader) {
    await this.set("answer", answer);
    await this.set("reader", reader);
    await this.page.evaluate(() => document.querySelector("#judge .main").click());
    return this.settled();
  }

  async axe(what) {
    await this.page.evaluate(axe);
    const found = await this.page.evaluate(async () => (await window.axe.run()).violations.map((v) => `${v.id}: ${v.nodes.map((n) => n.html).join(" | ").slice(0, 400)}`));
    assert.deepEqual(found, [], `${this.name}: axe, ${what}`);
  }

  async shot(name) {
    if (shots) await this.page.screenshot({ path: join(shots, `${this.name}-${name}.png`), fullPage: true });
  }
}

// askText sends a request past the page's own code, and returns the answer's bytes.
const askText = (p, name, body) => p.page.evaluate(async (name, body) => (await import("./engine.js")).askText(name, body), name, body);

// goldenResponses: scored in the browser, the golden responses get the bytes that they get in Go, in Python and over HTTP.
async function goldenResponses(p) {
  let count = 0;
  for (const [i, request] of responses.entries()) {
    const answer = await askText(p, "v1-score", request);
    const at = answer.indexOf(',"items":');
    const items = answer.slice(at + ',"items":'.length, -1);
    assert.equal(createHash("sha256").update(items).digest("hex"), scores[i].items_sha256, `${p.name}: request ${i}: ${answer.slice(0, 300)}`);
    count += JSON.parse(items).length;
  }
  assert.equal(count, 1000);
}

// sameVerdicts: what `planproof validate --json` says is said in the browser, byte for byte; and the page's own words agree
// with it for every task's cheapest plan and one wrong one.
async function sameVerdicts(p) {
  const rows = golden.map(({ task, steps }, id) => JSON.stringify({ id, task, plan: steps.join("\n") })).join("\n");
  const want = run(["validate", "--batch", "-", "--json"], rows).stdout.trim().split("\n");
  assert.equal(want.length, golden.length);
  for (const [i, { task, steps }] of golden.entries()) {
    const answer = await askText(p, "judge", JSON.stringify({ task, answer: steps.join("\n"), reader: "plan" }));
    const verdict = want[i].slice(want[i].indexOf(",") + 1, -1); // without the id; the page's also has the explanation
    assert.ok([`"verdict":{${verdict}}`, `"verdict":{${verdict},"explanation":{`].some((v) => answer.includes(v)), `${p.name}: ${task} ${steps}\n${verdict}\n${answer.slice(0, 1000)}`);
    if (i % 6 > 1) continue;
    await p.load(task);
    const said = await p.judge(steps.join("\n"), "plan");
    assert.equal(said.startsWith("Valid"), JSON.parse(want[i]).valid, `${p.name}: ${said}`);
  }
  return golden.length;
}

async function walkThrough(p) {
  await p.load("blocksworld:4-17");
  const plan = solved("blocksworld:4-17");
  const answer = "I would do this:\n\n" + plan.slice(0, 3).map((s, i) => `${i + 1}. ${s}`).join("\n") + `\n4. ${plan[0]}\n5. ${plan[3]}\n`;
  assert.match(await p.judge(answer, "natural"), /^Not valid: /);
  assert.equal(await p.page.$$eval("#marked mark", (m) => m.length), 5);
  assert.equal(await p.page.$$eval("#marked mark.failed", (m) => m.length), 1);
  assert.ok((await p.text("why")).length > 20);
  assert.ok(await p.page.$("#state svg"), "the blocks are drawn");
  await p.page.focus("#steps button[aria-pressed=true]");
  await p.page.keyboard.press("Home");
  assert.equal(await p.page.$eval("#steps button[aria-pressed=true]", (b) => b.textContent), "initial state");
  await p.page.keyboard.press("ArrowDown");
  assert.match(await p.text("state"), /^After /);
  await p.click("repair");
  await p.page.waitForSelector("#repairs .edits");
  await p.click("space");
  await p.page.waitForSelector("#graph svg");
  assert.match(await p.text("space-words"), /125 states/);
  await p.axe("a wrong plan");
  await p.shot("wrong");
  await p.set("answer2", plan.join("\n"));
  await p.judge(answer, "natural");
  await p.page.waitForSelector("#s-compare:not([hidden])");
  assert.match(await p.text("compare"), /part at step 4/);
  // The permalink brings everything back.
  await p.click("link");
  await p.page.waitForFunction(() => location.hash.length > 20);
  const link = p.page.url();
  await p.page.goto("about:blank");
  await p.page.goto(link);
  await p.page.waitForSelector("html[data-ready=yes]");
  assert.match(await p.settled(), /^Not valid: /);
  assert.equal(await p.page.$eval("#answer", (a) => a.value), answer);
  await p.click("solve");
  await p.page.waitForFunction(() => document.getElementById("status").textContent.startsWith("Valid"));
  await p.axe("a right plan");
  await p.shot("right");
}

async function hostile(p) {
  await p.load("gripper:2");
  await p.set("domain", "(define (domain <img src=x onerror=alert(1)>) (:predicates (q)");
  assert.match(await p.judge("(x)", "plan"), /^No answer/);
  assert.match(await p.text("errors"), /domain:1:\d+/);
  await p.load("gripper:2");
  await p.judge("<script>alert(1)</script>\n<img src=x onerror=alert(2)>\u0000\u202e(move rooma roomb)", "natural");
  assert.equal(await p.page.$$eval("#marked img, #marked script", (x) => x.length), 0);
  await p.page.goto(p.page.url().split("#")[0] + "#AAAA");
  await p.page.waitForSelector("html[data-ready=yes]");
  assert.equal(await p.settled(), "This link is damaged.");
  const bomb = deflateRawSync(Buffer.alloc(64 << 20, " ")).toString("base64url"); // 64 KB
  await p.page.evaluate((hash) => { location.hash = hash; }, bomb);
  await p.page.waitForFunction(() => document.getElementById("status").textContent === "This link holds more than 32 MB.");
  await p.load("gripper:2");
  assert.match(await p.judge("x".repeat(9 << 20), "plan"), /^No answer/);
  assert.match(await p.text("errors"), /at most 8388608/);
  await p.judge("(move rooma roomb)", "plan");
}

async function others(p) {
  const rows = run(["episode", "run", "blocksworld:4-17", "--agents", "random", "--episodes", "2", "--json"]).stdout;
  await p.page.evaluate(() => document.getElementById("tab-episode").click());
  await p.set("rows", rows);
  await p.page.evaluate(() => document.querySelector("#episode .main").click());
  assert.match(await p.settled("episode-status"), /\d+ episode/);
  await p.axe("episodes");
  const tasks = run(["boxnet", "generate", "--count", "1", "--width", "2", "--height", "3", "--objects", "2"]).stdout;
  await p.page.evaluate(() => document.getElementById("tab-boxnet").click());
  await p.set("boxrow", tasks);
  await p.page.evaluate(() => document.querySelector("#boxnet .main").click());
  assert.match(await p.settled("box-status"), /^Valid: /);
  await p.page.waitForSelector("#box-picture svg");
  await p.axe("boxnet");
  await p.shot("boxnet");
  await p.page.evaluate(() => document.getElementById("tab-plan").click());
}

async function zoomed(p) {
  // 1280 CSS pixels at 400 % are 320.
  await p.page.setViewport({ width: 320, height: 640 });
  await p.load("blocksworld:4-17");
  await p.judge("(pick-up a)", "plan");
  const wide = await p.page.evaluate(() => document.documentElement.scrollWidth <= innerWidth ? [] :
    [...document.querySelectorAll("body *")].filter((e) => e.getBoundingClientRect().right > innerWidth).map((e) => e.outerHTML.slice(0, 80)));
  assert.deepEqual(wide, [], `${p.name}: too wide at 400 %`);
  await p.shot("zoomed");
  await p.page.setViewport({ width: 1280, height: 900 });
}

const policy = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self' data:; connect-src 'self'; worker-src 'self'";
const browser = await puppeteer.launch({ executablePath: chromium, args: ["--no-sandbox", "--disable-gpu"] });
const server = await planproofServer();
const folder = await staticServer(playground, policy);
let failed = null;
try {
  for (const [name, url] of [["http", server.url], ["wasm", `http://127.0.0.1:${folder.address().port}/`]]) {
    for (const scheme of ["light", "dark"]) {
      const page = await browser.newPage();
      await page.setViewport({ width: 1280, height: 900 });
      await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: scheme }]);
      const p = new Page(page, `${name}-${scheme}`);
      const began = performance.now();
      await p.open(url);
      await p.judge("(pick-up a)", "plan");
      console.log(`${p.name}: first verdict after ${((performance.now() - began) / 1000).toFixed(2)} s`);
      await p.axe("at the start");
      await walkThrough(p);
      await others(p);
      if (scheme === "light") {
        await goldenResponses(p);
        console.log(`${p.name}: ${await sameVerdicts(p)} verdicts on golden tasks and the scores of 1000 golden responses have the same bytes`);
      }
      await zoomed(p);
      await hostile(p);
      assert.deepEqual(p.faults, [], p.name);
      await page.close();
      console.log(`${p.name}: ok`);
    }
  }
} catch (e) {
  failed = e;
}
await browser.close();
folder.close();
server.child.kill("SIGTERM");
if (failed) {
  console.error(failed);
  process.exitCode = 1;
}
