// What a page of another origin can try against addresses of the sandbox. Returns what it could read.
async ([root, paths]) => {
  const seen = [];
  const body = '{"Name": "Evil", "on": false, "days": 1, "seed": 0, "rules": [], "rule": []}';
  const headers = { "X-Sandbox-Console": "1", "Content-Type": "application/json" };
  const made = (tag, attributes) => Object.assign(document.createElement(tag), attributes);
  const loaded = (node) => new Promise((done) => {
    node.onload = node.onerror = done;
    document.body.append(node);
  });

  async function ask(path, options) {
    try {
      const response = await fetch(root + path, options);
      if (response.type !== "opaque") seen.push([path, await response.text()]);
    } catch { /* refused by the browser */ }
  }

  async function post(path, enctype) {
    const frame = made("iframe", { name: `frame${Math.random()}` });
    const form = made("form", { method: "POST", action: root + path, target: frame.name, enctype });
    form.append(made("input", { name: '{"Name": "Evil", "on": false, "days": 1, "x": "', value: '"}' }));
    document.body.append(form);
    await loaded(frame); // about:blank
    const response = new Promise((done) => { frame.onload = done; });
    form.submit();
    await response;
  }

  async function look(path) {
    const frame = made("iframe", { src: root + path });
    await loaded(frame);
    try {
      if (frame.contentDocument) seen.push([`iframe ${path}`, frame.contentDocument.body.innerText]);
    } catch { /* refused by the browser */ }
  }

  const open = (source, path) => new Promise((done) => {
    source.onopen = () => { seen.push([source.constructor.name, path]); done(); };
    source.onerror = () => { source.close(); done(); };
  });

  for (const path of paths) {
    await ask(path);
    await ask(path, { mode: "no-cors" });
    await ask(path, { method: "POST", mode: "no-cors", body });
    for (const method of ["POST", "PUT"]) await ask(path, { method, headers, body });
    await ask(path, { method: "DELETE", headers });
    navigator.sendBeacon(root + path, body);
    for (const enctype of ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data"]) {
      await post(path, enctype);
    }
    await look(path);
    await loaded(made("script", { src: root + path }));
    await open(new WebSocket(root.replace("http", "ws") + path), path);
    await open(new EventSource(root + path), path);
  }
  return seen;
}
