// Serves a model in a GGUF file through the usual chat interface, on this machine alone:
//
//     npm install --ignore-scripts
//     node server.js FILE.gguf [PORT] [THREADS]
//
// One answer at a time. The rules, which the prompts for a side begin with, are read once for each of
// the two sides.
import http from "node:http";
import { getLlama, LlamaChatSession } from "node-llama-cpp";

const [file, port = "8080", threads = "2"] = process.argv.slice(2);
const CONTEXT = 8192, MOST_TOKENS = 256, SIDES = 2;

const llama = await getLlama({ gpu: false, build: "never", maxThreads: Number(threads) });
const model = await llama.loadModel({ modelPath: file });
const context = await model.createContext({ contextSize: CONTEXT, sequences: SIDES });
const read = Array.from({ length: SIDES }, () => ({ system: null, sequence: context.getSequence() }));
let busy = Promise.resolve();

// The sequence that has read these rules already, or else the one used longest ago.
function sequenceFor(system) {
  const known = read.findIndex((one) => one.system === system);
  const [used] = read.splice(Math.max(known, 0), 1);
  used.system = system;
  read.push(used);
  return used.sequence;
}

// How models such as Qwen are told of tools, call them, and are told what these answer.
const aboutTools = (tools) => `# Tools

You may call one or more functions. Their signatures:
<tools>
${tools.map((tool) => JSON.stringify(tool)).join("\n")}
</tools>

For each call, return a JSON object with the function's name and its arguments within <tool_call></tool_call> tags:
<tool_call>
{"name": <function-name>, "arguments": <args-json-object>}
</tool_call>`;

const inWords = ({ role, content, tool_calls = [] }) => role === "tool"
  ? `<tool_response>\n${content}\n</tool_response>`
  : [content, ...tool_calls.map(({ function: { name, arguments: given } }) =>
    `<tool_call>\n{"name": ${JSON.stringify(name)}, "arguments": ${given}}\n</tool_call>`)].filter(Boolean).join("\n");

function callsIn(text) {
  return [...text.matchAll(/\{\s*"name"[^]*?\}\s*\}/g)].flatMap(([found], index) => {
    try {
      const { name, arguments: given } = JSON.parse(found);
      return [{ id: `call-${index}`, type: "function", function: { name, arguments: JSON.stringify(given) } }];
    } catch {
      return [];
    }
  });
}

async function answer({ messages, model: name, max_tokens, max_completion_tokens, temperature, seed, tools = [] }) {
  const text = (role) => messages.filter((message) => message.role === role).map((message) => message.content);
  const systemPrompt = [...text("system"), ...(tools.length ? [aboutTools(tools)] : [])].join("\n\n");
  const sequence = sequenceFor(systemPrompt);
  const session = new LlamaChatSession({ contextSequence: sequence, systemPrompt });
  const history = session.getChatHistory();
  for (const message of messages.slice(0, -1)) {
    if (message.role === "assistant") history.push({ type: "model", response: [inWords(message)] });
    else if (message.role !== "system") history.push({ type: "user", text: inWords(message) });
  }
  session.setChatHistory(history);
  const before = sequence.tokenMeter.getState();
  const result = await session.promptWithMeta(inWords(messages.at(-1)), {
    maxTokens: max_tokens ?? max_completion_tokens ?? MOST_TOKENS, temperature: temperature ?? 0, seed,
  });
  const used = sequence.tokenMeter.diff(before);
  const told = [systemPrompt, ...messages.filter(({ role }) => role !== "system").map(inWords)];
  const asked = told.reduce((sum, words) => sum + model.tokenize(words).length, 0);
  const calls = tools.length ? callsIn(result.responseText) : [];
  session.dispose();
  return {
    id: "1", object: "chat.completion", created: 0, model: name,
    choices: [{
      index: 0,
      message: { role: "assistant", content: calls.length ? null : result.responseText, ...(calls.length && { tool_calls: calls }) },
      finish_reason: result.stopReason === "maxTokens" ? "length" : calls.length ? "tool_calls" : "stop",
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
