import { get, send } from "./api.js";
import { h, option, repeat, say, time, trouble } from "./dom.js";

const KEPT = 300;
const KINDS = [["", "any"], ["2", "2xx"], ["4", "4xx"], ["5", "5xx"], ["broken", "broken"], ["open", "no response yet"]];

export async function requests(main) {
  const lines = new Map(); // request number -> its line, and whether the request has ended
  const list = h("div", { class: "log", role: "log", "aria-live": "off", "aria-label": "Requests, newest first" });
  const empty = h("p", { class: "quiet" }, "No requests yet.");
  const limits = h("p", { class: "quiet" });
  const on = h("input", { type: "checkbox", role: "switch", id: "record", onchange: () => turn(on.checked) });
  const wrong = trouble();
  const text = h("input", { id: "text", type: "search", placeholder: "method, path, Company, RequestId", oninput: () => narrow() });
  const kind = h("select", { id: "kind", onchange: () => narrow() }, KINDS.map(([value, label]) => option(value, label)));
  const faulty = h("input", { type: "checkbox", role: "switch", id: "faulty", onchange: () => narrow() });
  const paused = h("input", { type: "checkbox", role: "switch", id: "pause", onchange: () => say(paused.checked ? "Paused. New requests are still recorded." : "Resumed.") });
  const narrowed = h("p", { class: "quiet", hidden: true });
  let last = 0, cleared = 0, looked = false;

  const turn = (wanted) => send("PUT", "log", { on: wanted }).then(wrong.clear, (error) => { on.checked = !wanted; wrong.show(error); });
  function clear() {
    cleared++; // responses to older requests are ignored
    return send("DELETE", "log").then(() => {
      cleared++;
      wrong.clear();
      lines.clear();
      list.replaceChildren();
      empty.hidden = false;
      narrow();
      say("Cleared.");
    }, wrong.show);
  }

  function after() { // number after which requests are new or may have changed
    const open = [...lines].filter(([, line]) => !line.ended).map(([number]) => number);
    return open.length ? Math.min(...open) - 1 : last;
  }

  function fits(one) {
    const words = text.value.toLowerCase().split(/\s+/).filter(Boolean);
    const line = [one.method, one.path, one.company, one.requestId].join(" ").toLowerCase();
    return words.every((word) => line.includes(word)) && ["", state(one)].includes(kind.value) && (!faulty.checked || one.faults.length > 0);
  }

  function narrow() {
    let count = 0;
    for (const { node, one } of lines.values()) { node.hidden = !fits(one); count += node.hidden ? 0 : 1; }
    narrowed.hidden = count === lines.size;
    narrowed.textContent = `${count} of ${lines.size} requests match the filter.`;
  }

  async function look(wanted) {
    if (paused.checked) return;
    const before = cleared;
    const found = await get(`log?after=${Math.max(0, after())}`);
    if (!wanted() || before !== cleared) return;
    if (found.last < last) { // the sandbox was restarted, so the next look reads everything
      lines.clear();
      list.replaceChildren();
      last = 0;
      return;
    }
    const fresh = found.requests.filter((one) => !lines.has(one.number)).length;
    for (const one of found.requests.reverse()) put(one);
    while (lines.size > KEPT) { const [oldest] = lines.keys(); lines.get(oldest).node.remove(); lines.delete(oldest); }
    last = found.last;
    narrow();
    if (document.activeElement !== on) on.checked = found.on;
    empty.hidden = lines.size > 0;
    empty.textContent = found.on ? "No requests yet." : "Recording is off: turn on “Record” to see new requests.";
    limits.textContent = `The log keeps the last ${found.limits.requests} requests, and the first ${found.limits.body / 1024} KiB of each body. Secrets are masked.`;
    if (fresh && looked) say(`${fresh} new ${fresh === 1 ? "request" : "requests"}.`);
    looked = true;
  }

  function put(one) {
    const known = lines.get(one.number);
    const title = h("summary", null,
      h("span", { class: "method" }, one.method),
      h("span", { class: "path" }, one.path),
      h("span", { class: "status", "data-class": state(one) }, one.broken ? "broken" : String(one.status ?? "…")),
      h("span", { class: "took" }, one.milliseconds === null ? "…" : `${one.milliseconds.toFixed(2)} ms`),
      h("span", { class: "when" }, time(one.time)),
      h("span", { class: "id" }, one.faults.length ? h("strong", { class: "fault" }, `injected: ${one.faults.join(", ")}`) : null, [one.company, one.requestId].filter(Boolean).join(" · ")));
    if (known) {
      Object.assign(known, { one });
      known.ended = one.milliseconds !== null;
      known.node.querySelector("summary").replaceWith(title);
      return;
    }
    const node = h("details", { ontoggle: () => node.open && open(node, one.number) }, title);
    lines.set(one.number, { node, one, ended: one.milliseconds !== null });
    list.prepend(node);
  }

  main.append(
    h("h1", null, "Requests"),
    h("div", { class: "bar level" }, h("label", { class: "switch" }, on, " Record"), h("button", { type: "button", onclick: clear }, "Clear"),
      h("label", { class: "switch" }, paused, " Pause")),
    h("form", { role: "search", class: "bar", onsubmit: (event) => event.preventDefault() },
      h("label", null, "Filter", text), h("label", null, "Response", kind), h("label", { class: "switch" }, faulty, " Only with injected faults")),
    wrong.node, limits, narrowed, empty, list);
  return repeat(1000, look, wrong.show);
}

async function open(node, number) {
  node.querySelector(".bodies")?.remove();
  const bodies = h("div", { class: "bodies" });
  node.append(bodies);
  try {
    const found = await get(`log/${number}`);
    bodies.append(side("Request", found.request), side("Response", found.response), command(found));
  } catch (error) {
    bodies.append(h("p", { class: "error" }, error.message));
  }
}

function state(one) {
  return one.broken ? "broken" : one.status === null ? "open" : String(one.status).slice(0, 1);
}

function command(found) {
  const text = h("pre", { tabindex: "0", "aria-label": "Command line for curl" }, found.curl);
  const copy = () => navigator.clipboard.writeText(found.curl).then(() => say("Copied."), () => {
    getSelection().selectAllChildren(text); // the browser refused, so select the text to be copied by hand
    say("The browser blocked the clipboard: the text is selected, ready to copy.");
  });
  return h("section", { class: "curl" },
    h("h2", null, "curl ", h("small", null, found.complete ? "the token is left out: set WOSDK_TOKEN" : "the body was truncated: this is only its beginning")),
    text, h("button", { type: "button", onclick: copy }, "Copy as curl"));
}

function side(title, part) {
  const size = part.cut ? `${part.size} bytes, truncated` : `${part.size} bytes`;
  return h("section", null,
    h("h2", null, `${title} `, h("small", null, size)),
    h("pre", { tabindex: "0", "aria-label": `Headers of the ${title.toLowerCase()}`, class: "headers" }, part.headers.map((pair) => pair.join(": ")).join("\n")),
    part.body ? h("pre", { tabindex: "0", "aria-label": `Body of the ${title.toLowerCase()}` }, part.body) : null);
}
