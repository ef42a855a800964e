// The worker that runs planproof: wasm_exec.js comes with the Go toolchain, planproof.wasm.gz from cmd/playground.
importScripts("wasm_exec.js");

const ready = (async () => {
  const go = new Go();
  const begun = new Promise((done) => { self.planproofReady = done; });
  const packed = await fetch("planproof.wasm.gz");
  if (!packed.ok) throw new Error(`planproof.wasm.gz: ${packed.status}`);
  // A server that sends it with Content-Encoding: gzip has the browser unpack it.
  const plain = packed.headers.get("Content-Encoding") ? packed.body : packed.body.pipeThrough(new DecompressionStream("gzip"));
  const module = new Response(plain, { headers: { "Content-Type": "application/wasm" } });
  const { instance } = await WebAssembly.instantiateStreaming(module, go.importObject); // compiles while it loads
  go.run(instance);
  await begun;
})();

onmessage = async ({ data }) => {
  try {
    await ready;
    self.planproofAnswer(data.name, data.body, (answer) => postMessage({ number: data.number, answer }));
  } catch (e) {
    postMessage({ number: data.number, failed: String(e) });
  }
};
