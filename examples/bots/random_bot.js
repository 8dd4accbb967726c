// Plays any legal action, in JavaScript: tkm match "cmd:node examples/bots/random_bot.js" random

const lines = require("node:readline").createInterface({ input: process.stdin, terminal: false });

lines.on("line", (line) => {
  const [head] = line.split(" | ");
  const [verb, ...rest] = head.split(" ");
  const words = Object.fromEntries(rest.filter((word) => word.includes("=")).map((word) => word.split(/=(.*)/s, 2)));
  if (verb === "tkm") {
    console.log("tkm 1 name=random-js version=1");
  } else if (verb === "go") {
    const legal = words.legal.split(",");
    // One step of a multiplicative generator, so that neighbouring seeds lead to different actions.
    const bits = ((BigInt(words.seed) + 1n) * 6364136223846793005n) & 0xffffffffffffffffn;
    console.log(`play ${legal[Number((bits >> 33n) % BigInt(legal.length))]}`);
  } else if (verb === "quit") {
    process.exit(0);
  }
});
