// Serves a model in a GGUF file through the usual chat interface, on this machine alone:
//
//     npm install --ignore-scripts
//     node server.js FILE.gguf [PORT] [THREADS]
//
// One answer at a time. The beginning that a prompt shares with the one before is not read again.
import http from "node:http";
import { getLlama, LlamaChatSession } from "node-llama-cpp";

const [file, port = "8080", threads = "2"] = process.argv.slice(2);
const CONTEXT = 8192, MOST_TOKENS = 256;

const llama = await getLlama({ gpu: false, build: "never", maxThreads: Number(threads) });
const model = await llama.loadModel({ modelPath: file });
const context = await model.createContext({ contextSize: CONTEXT });
const sequence = context.getSequence();
let busy = Promise.resolve();

async function answer({ messages, model: name, max_tokens, max_completion_tokens, temperature, seed }) {
  const text = (role) => messages.filter((message) => message.role === role).map((message) => message.content);
  const session = new LlamaChatSession({ contextSequence: sequence, systemPrompt: text("system").join("\n\n") });
  const history = session.getChatHistory();
  for (const { role, content } of messages.slice(0, -1)) {
    if (role === "user") history.push({ type: "user", text: content });
    if (role === "assistant") history.push({ type: "model", response: [content] });
  }
  session.setChatHistory(history);
  const before = sequence.tokenMeter.getState();
  const result = await session.promptWithMeta(messages.at(-1).content, {
    maxTokens: max_tokens ?? max_completion_tokens ?? MOST_TOKENS, temperature: temperature ?? 0, seed,
  });
  const used = sequence.tokenMeter.diff(before);
  const asked = messages.reduce((sum, { content }) => sum + model.tokenize(content).length, 0);
  session.dispose();
  return {
    id: "1", object: "chat.completion", created: 0, model: name,
    choices: [{
      index: 0,
      message: { role: "assistant", content: result.responseText },
      finish_reason: result.stopReason === "maxTokens" ? "length" : "stop",
    }],
    usage: { prompt_tokens: asked, completion_tokens: used.usedOutputTokens, total_tokens: asked + used.usedOutputTokens },
  };
}

http.createServer(async (request, response) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const reply = (status, body) => {
    response.writeHead(status, { "Content-Type": "application/json" });
    response.end(JSON.stringify(body));
  };
  const own = busy.then(async () => {
    try {
      reply(200, await answer(JSON.parse(Buffer.concat(chunks))));
    } catch (error) {
      reply(400, { error: { message: String(error.message ?? error) } });
    }
  });
  busy = own;
  await own;
}).listen(Number(port), "127.0.0.1", () => console.log(`http://127.0.0.1:${port}/v1`));
