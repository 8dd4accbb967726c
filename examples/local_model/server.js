// Serves a model in a GGUF file through the usual chat interface, on this machine alone:
//
//     npm install --ignore-scripts
//     node server.js FILE.gguf [PORT] [THREADS]
//
// One answer at a time. The rules, which the prompts for a side begin with, are read once for each of
// the two sides.
import { randomUUID } from "node:crypto";
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

// A call of one of the tools, which is all that a model may then answer.
const callOf = (tools) => ({ oneOf: tools.map(({ function: { name, parameters } }) => ({
  type: "object",
  properties: { name: { const: name }, arguments: JSON.parse(JSON.stringify(parameters).replaceAll('"anyOf"', '"oneOf"')) },
})) });

const aboutTools = (tools) => `Answer with a call of a function, as JSON: {"name": ..., "arguments": {...}}. The functions:
${tools.map((tool) => JSON.stringify(tool.function)).join("\n")}`;

const inWords = ({ content, tool_calls = [] }) => [content, ...tool_calls.map(({ function: { name, arguments: given } }) =>
  `{"name": ${JSON.stringify(name)}, "arguments": ${given}}`)].filter(Boolean).join("\n");

function readCall(text) {
  try {
    const { name, arguments: given } = JSON.parse(text);
    return [{ id: randomUUID(), type: "function", function: { name, arguments: JSON.stringify(given) } }];
  } catch { // cut off
    return [];
  }
}

async function answer({ messages, model: name, max_tokens, max_completion_tokens, temperature, seed, tools = [] }) {
  const rules = messages.filter(({ role }) => role === "system").map(inWords);
  const systemPrompt = [...rules, ...(tools.length ? [aboutTools(tools)] : [])].join("\n\n");
  const sequence = sequenceFor(systemPrompt);
  const session = new LlamaChatSession({ contextSequence: sequence, systemPrompt });
  const told = messages.filter(({ role }) => role !== "system");
  session.setChatHistory([...session.getChatHistory(), ...told.slice(0, -1).map((message) =>
    message.role === "assistant" ? { type: "model", response: [inWords(message)] } : { type: "user", text: inWords(message) })]);
  const before = sequence.tokenMeter.getState();
  const result = await session.promptWithMeta(inWords(told.at(-1)), {
    maxTokens: max_tokens ?? max_completion_tokens ?? MOST_TOKENS, temperature: temperature ?? 0, seed,
    ...(tools.length && { grammar: await llama.createGrammarForJsonSchema(callOf(tools)) }),
  });
  const used = sequence.tokenMeter.diff(before);
  const asked = [systemPrompt, ...told.map(inWords)].reduce((sum, text) => sum + model.tokenize(text).length, 0);
  const calls = tools.length ? readCall(result.responseText) : [];
  session.dispose();
  return {
    id: "1", object: "chat.completion", created: 0, model: name,
    choices: [{
      index: 0,
      message: calls.length ? { role: "assistant", content: null, tool_calls: calls } : { role: "assistant", content: result.responseText },
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
