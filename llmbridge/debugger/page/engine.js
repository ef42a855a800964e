// The engine behind the page: the server that sent it.
export const engineName = "Answers come from the planproof that serves this page.";

let running = new AbortController();

// askText sends the JSON of a request, and returns the JSON of the answer.
export async function askText(name, body) {
  const r = await fetch("api/" + name, { method: "POST", headers: { "Content-Type": "application/json" }, body, signal: running.signal });
  return r.text();
}

// ask sends a request. An answer that is no answer is an error with the member "problem".
export async function ask(name, request) {
  const text = await askText(name, JSON.stringify(request));
  let answer;
  try { answer = JSON.parse(text); } catch { throw Object.assign(new Error(text), { problem: { code: "bad-input", message: text } }); }
  if (answer.error) throw Object.assign(new Error(answer.error.message), { problem: answer.error });
  return answer;
}

// stop ends the requests that are running.
export function stop() {
  running.abort();
  running = new AbortController();
}
