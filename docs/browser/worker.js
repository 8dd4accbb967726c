// Runs Python outside the page, which stays responsive while an agent thinks. Requests are answered in order.

importScripts("../pyodide/pyodide.js");

async function started() {
  const python = await loadPyodide({ indexURL: new URL("../pyodide/", location.href).href });
  await python.loadPackage("numpy", { messageCallback: () => {} });
  const packages = await fetch("../packages.zip");
  python.unpackArchive(await packages.arrayBuffer(), "zip", { extractDir: "/packages" });
  python.runPython("import sys; sys.path.insert(0, '/packages')");
  await keep(python);
  const bridge = python.pyimport("bridge");
  bridge.begin();
  return bridge;
}

// Unfinished games lie in a folder that is a copy of the browser's storage; without storage they are lost when the page is left.
let save = async () => {};
let saving = Promise.resolve(); // one at a time

async function keep({ FS }) {
  const copied = (isLoaded) => new Promise((done, failed) => FS.syncfs(isLoaded, (error) => (error ? failed(error) : done())));
  FS.mkdir("/kept");
  try {
    FS.mount(FS.filesystems.IDBFS, {}, "/kept");
    await copied(true);
    save = () => copied(false);
  } catch {
    FS.unmount("/kept");
  }
}

const ready = started();

onmessage = async ({ data: { number, path, content, language } }) => {
  try {
    const answer = (await ready).answer(path, content, language);
    postMessage({ number, answer: answer.toJs() });
    answer.destroy();
    if (content !== null) saving = saving.then(save).catch(() => {});
  } catch (error) {
    postMessage({ number, failure: error.message });
  }
};
