// The engine behind the page: planproof itself, in WebAssembly, in a worker of this browser.
export const engineName = "Answers come from planproof in this browser: no server.";

let worker = null;
let asked = new Map(); // by number: what to do with the answer
let number = 0;

function start() {
  worker = new Worker("worker.js");
  worker.onmessage = ({ data }) => {
    const done = asked.get(data.number);
    asked.delete(data.number);
    if (done) done(data);
  };
  worker.onerror = (e) => fail(e.message || "the worker failed");
}

function fail(message) {
  const all = asked;
  asked = new Map();
  for (const done of all.values()) done({ failed: message });
}

// askText sends the JSON of a request, and returns the JSON of the answer.
export async function askText(name, body) {
  if (!worker) start();
  const data = await new Promise((done) => {
    asked.set(++number, done);
    worker.postMessage({ number, name, body });
  });
  if (data.failed) throw Object.assign(new Error(data.failed), { problem: { code: "internal", message: data.failed } });
  return data.answer;
}

// ask sends a request. An answer that is no answer is an error with the member "problem".
export async function ask(name, request) {
  const answer = JSON.parse(await askText(name, JSON.stringify(request)));
  if (answer.error) throw Object.assign(new Error(answer.error.message), { problem: answer.error });
  return answer;
}

// stop ends the requests that are running: the worker with them. The next request starts another.
export function stop() {
  if (worker) worker.terminate();
  worker = null;
  fail("stopped");
}

start();
