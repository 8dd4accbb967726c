// Runs Python outside the page, which stays responsive while an agent thinks. Requests are answered in order.

importScripts("../pyodide/pyodide.js");

async function started() {
  const python = await loadPyodide({ indexURL: new URL("../pyodide/", location.href).href });
  await python.loadPackage("numpy", { messageCallback: () => {} });
  const packages = await fetch("../packages.zip");
  python.unpackArchive(await packages.arrayBuffer(), "zip", { extractDir: "/packages" });
  python.runPython("import sys; sys.path.insert(0, '/packages')");
  const bridge = python.pyimport("bridge");
  bridge.begin(new URLSearchParams(location.search).toString());
  return bridge;
}

const ready = started();

onmessage = async ({ data: { number, path, content } }) => {
  try {
    const answer = (await ready).answer(path, content);
    postMessage({ number, answer: answer.toJs() });
    answer.destroy();
  } catch (error) {
    postMessage({ number, failure: error.message });
  }
};
