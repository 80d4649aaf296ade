import { get, send } from "./api.js";
import { h, repeat, say, trouble } from "./dom.js";

const KEPT = 300;

export async function requests(main) {
  const lines = new Map(); // number -> its line and whether it has ended
  const list = h("div", { class: "log", role: "log", "aria-live": "off", "aria-label": "Requests, the newest first" });
  const empty = h("p", { class: "quiet" }, "Nothing yet.");
  const limits = h("p", { class: "quiet" });
  const on = h("input", { type: "checkbox", role: "switch", id: "record", onchange: () => turn(on.checked) });
  const wrong = trouble();
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
      say("Cleared.");
    }, wrong.show);
  }

  function after() { // the number after which requests are new, or had no response yet
    const open = [...lines].filter(([, line]) => !line.ended).map(([number]) => number);
    return open.length ? Math.min(...open) - 1 : last;
  }

  async function look(wanted) {
    const before = cleared;
    const found = await get(`log?after=${Math.max(0, after())}`);
    if (!wanted() || before !== cleared) return;
    if (found.last < last) { // another run of the sandbox: the next look reads everything
      lines.clear();
      list.replaceChildren();
      last = 0;
      return;
    }
    const fresh = found.requests.filter((one) => !lines.has(one.number)).length;
    for (const one of found.requests.reverse()) put(one);
    while (lines.size > KEPT) { const [oldest] = lines.keys(); lines.get(oldest).node.remove(); lines.delete(oldest); }
    last = found.last;
    if (document.activeElement !== on) on.checked = found.on;
    empty.hidden = lines.size > 0;
    limits.textContent = `The log keeps the last ${found.limits.requests} requests, and the first ${found.limits.body / 1024} KiB of each body. Secrets are masked.`;
    if (fresh && looked) say(`${fresh} new ${fresh === 1 ? "request" : "requests"}.`);
    looked = true;
  }

  function put(one) {
    const known = lines.get(one.number);
    const title = h("summary", null,
      h("span", { class: "method" }, one.method),
      h("span", { class: "path" }, one.path),
      h("span", { class: "status", "data-class": one.broken ? "broken" : String(one.status ?? "").slice(0, 1) }, one.broken ? "broken" : String(one.status ?? "…")),
      h("span", { class: "took" }, one.milliseconds === null ? "…" : `${one.milliseconds} ms`),
      h("span", { class: "when" }, one.time),
      h("span", { class: "id" }, [one.company, one.requestId].filter(Boolean).join(" · ")));
    if (known) {
      known.ended = one.milliseconds !== null;
      known.node.querySelector("summary").replaceWith(title);
      return;
    }
    const node = h("details", { ontoggle: () => node.open && open(node, one.number) }, title);
    lines.set(one.number, { node, ended: one.milliseconds !== null });
    list.prepend(node);
  }

  main.append(
    h("h1", null, "Requests"),
    h("div", { class: "bar level" }, h("label", { class: "switch" }, on, " Record"), h("button", { type: "button", onclick: clear }, "Clear")),
    wrong.node, limits, empty, list);
  return repeat(1000, look, wrong.show);
}

async function open(node, number) {
  node.querySelector(".bodies")?.remove();
  const bodies = h("div", { class: "bodies" });
  node.append(bodies);
  try {
    const found = await get(`log/${number}`);
    bodies.append(side("Request", found.request), side("Response", found.response));
  } catch (error) {
    bodies.append(h("p", { class: "error" }, error.message));
  }
}

function side(title, part) {
  const size = part.cut ? `${part.size} bytes, cut` : `${part.size} bytes`;
  return h("section", null,
    h("h2", null, `${title} `, h("small", null, size)),
    h("pre", { tabindex: "0", "aria-label": `Headers of the ${title.toLowerCase()}`, class: "headers" }, part.headers.map((pair) => pair.join(": ")).join("\n")),
    part.body ? h("pre", { tabindex: "0", "aria-label": `Body of the ${title.toLowerCase()}` }, part.body) : null);
}
