// Drives VS Code with the extension, as a page in headless Chromium: what it draws is looked for in the page.
//
//   node vscode.mjs SERVER FOLDER EXTENSIONS CHROMIUM [SCREENSHOTS]
//
// SERVER is the folder of VS Code's server, FOLDER holds domain.pddl, p.pddl, p.plan and faulty.pddl.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import puppeteer from "puppeteer-core";

const [server, folder, extensions, chromium, shots] = process.argv.slice(2);
const patience = 180000; // a busy machine takes a minute to start the window

function ok(what, holds, seen) {
  if (!holds) throw new Error(`${what}: ${seen}`);
  console.log("ok " + what);
}

async function serve(data) {
  const child = spawn(process.execPath, [join(server, "out/server-main.js"), "--host", "127.0.0.1", "--port", "0", "--without-connection-token",
    "--accept-server-license-terms", "--telemetry-level", "off", "--server-data-dir", data, "--extensions-dir", extensions], { stdio: ["ignore", "pipe", "pipe"] });
  let said = "";
  const port = await new Promise((done, fail) => {
    child.stdout.on("data", (d) => {
      said += d;
      const at = said.match(/listening on (\d+)/);
      if (at) done(at[1]);
    });
    child.stderr.on("data", (d) => { said += d; });
    child.on("exit", () => fail(new Error("VS Code's server ended: " + said)));
  });
  return { child, url: `http://127.0.0.1:${port}/` };
}

class Window {
  constructor(page, url) { this.page = page; this.url = url; }

  // open shows a file of the folder alone.
  async open(file) {
    const authority = new URL(this.url).host;
    const payload = JSON.stringify([["openFile", `vscode-remote://${authority}${folder}/${file}`]]);
    await this.page.goto(`${this.url}?folder=${encodeURIComponent(folder)}&payload=${encodeURIComponent(payload)}`, { timeout: patience, waitUntil: "domcontentloaded" });
    await this.page.waitForSelector(".monaco-editor .view-line", { timeout: patience });
  }

  // find waits until f, which runs in the page with args, returns something.
  async find(what, f, ...args) {
    try {
      return await (await this.page.waitForFunction(f, { timeout: patience, polling: 200 }, ...args)).jsonValue();
    } catch {
      await this.shot("failed");
      const text = await this.page.evaluate(() => document.body.innerText);
      throw new Error(`${what} was not seen in ${patience / 1000} s; the window says ${text.slice(0, 3000)}`);
    }
  }

  // word is where the first token with a text is drawn.
  word(text) {
    return this.find(`the word ${text}`, (text) => {
      for (const span of document.querySelectorAll(".monaco-editor .view-line span span")) {
        const at = span.textContent.indexOf(text);
        if (at < 0 || !span.firstChild) continue;
        const range = document.createRange();
        range.setStart(span.firstChild, at);
        range.setEnd(span.firstChild, at + text.length);
        const box = range.getBoundingClientRect();
        if (box.width > 0) return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
      }
      return null;
    }, text);
  }

  // hover points at a word until its hover says a piece, and returns what the hover says. Lines move while lenses appear.
  async hover(word, piece) {
    for (const end = Date.now() + patience; Date.now() < end;) {
      const at = await this.word(word);
      await this.page.mouse.move(2, 2);
      await this.page.mouse.move(at.x, at.y, { steps: 4 });
      const said = await this.page.waitForFunction(hovers, { timeout: 10000, polling: 200 }, piece).catch(() => null);
      if (said) return said.jsonValue();
    }
    await this.shot("failed");
    throw new Error(`no hover of ${word} says ${piece}`);
  }

  // lens clicks the code lens with a text and returns the text.
  async lens(text) {
    const at = await this.find(`the code lens ${text}`, (text) => {
      const link = [...document.querySelectorAll(".codelens-decoration a")].find((a) => a.textContent.startsWith(text));
      const box = link?.getBoundingClientRect();
      return box?.width > 0 ? { text: link.textContent, x: box.x + box.width / 2, y: box.y + box.height / 2 } : null;
    }, text);
    await this.page.mouse.click(at.x, at.y);
    return at.text;
  }

  async shot(name) {
    if (shots) await this.page.screenshot({ path: join(shots, `vscode-${name}.png`) });
  }
}

// editorText finds an open editor whose text has a piece, and returns the text. Spaces are drawn as hard ones.
const editorText = (piece) => {
  for (const editor of document.querySelectorAll(".monaco-editor .view-lines")) {
    const lines = [...editor.querySelectorAll(".view-line")].sort((a, b) => parseFloat(a.style.top) - parseFloat(b.style.top));
    const text = lines.map((l) => l.textContent.replaceAll("\u00a0", " ")).join("\n");
    if (text.includes(piece)) return text;
  }
  return null;
};

// hovers finds what an open hover says, once it has a piece.
const hovers = (piece) => [...document.querySelectorAll(".monaco-hover:not(.hidden) .hover-contents")].map((h) => h.innerText).find((t) => t.includes(piece)) ?? null;

// trust answers the question whether the folder may be trusted, whenever it is asked.
const trust = () => setInterval(() => [...document.querySelectorAll(".monaco-dialog-box .monaco-button")].find((b) => /^yes/i.test(b.textContent))?.click(), 300);

async function drive(page, url) {
  const w = new Window(page, url);
  await page.evaluateOnNewDocument(trust);
  page.on("dialog", (d) => d.accept()); // leaving a document that is not saved
  await w.open("p.pddl");
  await w.find("the problem", editorText, "(define (problem");
  await w.find("an end of the question of trust", () => !document.querySelector(".monaco-dialog-box") && /PDDL/.test(document.querySelector(".statusbar")?.innerText));
  await w.shot("problem");

  const hover = await w.hover("clear", "(clear ?");
  ok("hover says which actions read and change a predicate", /clear/.test(hover) && /pick-up/.test(hover), hover);
  await w.shot("hover");
  await page.mouse.move(2, 2);

  await w.lens("solve");
  const answer = await w.find("the plan", editorText, "no plan is cheaper");
  ok("the code lens solve opens a cheapest plan beside the problem", /^\((pick-up|unstack) /m.test(answer), answer);
  await w.shot("solved");

  await w.open("p.plan");
  const hints = await w.find("inlay hints", editorText, "-(");
  ok("inlay hints say what each step changes", hints.split("\n").filter((l) => /^\(.*\).*-\(/.test(l)).length > 1, hints);
  await w.lens("validate this plan");
  const verdict = await w.find("the verdict", editorText, "valid: cost 10");
  ok("the code lens validate this plan opens the verdict", /^valid: cost 10, 10 steps/m.test(verdict), verdict);
  await w.shot("plan");

  await w.open("faulty.pddl");
  await w.find("a fault", () => document.querySelector(".monaco-editor .squiggly-error"));
  const fault = await w.hover("onntable", "undeclared-predicate");
  ok("a fault is underlined, and its hover names it with the code", /undeclared-predicate/.test(fault), fault);
  await w.shot("fault");
}

const data = mkdtempSync(join(tmpdir(), "planproof-vscode-"));
const { child, url } = await serve(data);
const browser = await puppeteer.launch({ executablePath: chromium, headless: true, args: ["--no-sandbox", "--disable-gpu", "--window-size=1400,900"], defaultViewport: { width: 1400, height: 900 }, userDataDir: join(data, "browser") });
let code = 0;
try {
  await drive(await browser.newPage(), url);
  console.log("ALL PASSED");
} catch (e) {
  console.error("FAIL " + e.message);
  code = 1;
} finally {
  await browser.close();
  child.removeAllListeners("exit");
  child.kill();
  await new Promise((done) => setTimeout(done, 500));
  rmSync(data, { recursive: true, force: true, maxRetries: 5 });
}
process.exit(code);
