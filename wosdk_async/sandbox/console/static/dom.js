// Elements, made of text only: nothing that came from the service is ever read as markup.
import { Gone } from "./api.js";

export function h(tag, attributes, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (typeof value === "boolean") element.toggleAttribute(name, value);
    else if (value !== null && value !== undefined) element.setAttribute(name, value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return element;
}

// columns: pairs of a heading and what to show of a row, a text or an element
export function table(caption, columns, rows, empty = "None.") {
  if (!rows.length) return h("p", { class: "quiet" }, empty);
  const head = columns.map(([title]) => h("th", { scope: "col" }, title));
  const line = (row) => h("tr", null, columns.map(([title, show]) => h("td", { "data-label": title }, shown(show(row)))));
  return h("table", null,
    h("caption", null, caption),
    h("thead", null, h("tr", null, head)),
    h("tbody", null, rows.map(line)));
}

export function facts(pairs) {
  return h("dl", null, pairs.map(([name, value]) => h("div", null, h("dt", null, name), h("dd", null, shown(value)))));
}

// A value of the service: a reference by its name and id, anything else as text
export function shown(value) {
  if (value instanceof Node) return value;
  if (value === null || value === undefined || value === "") return "–";
  if (typeof value !== "object") return String(value);
  const name = value.Name ?? value.DisplayAs;
  if (name !== undefined) return value.Id === undefined ? String(name) : `${name} (${value.Id})`;
  if (value.Value !== undefined) return `${value.Value} ${value.CurrencyTypeId ?? ""}`.trim();
  return Object.keys(value).join() === "Id" ? `Id ${value.Id}` : JSON.stringify(value);
}

export function state(name) {
  return h("span", { class: "state", "data-state": name ?? "" }, name ?? "–");
}

let silence;

// A short message: read out by screen readers, and shown for a few seconds
export function say(text) {
  clearTimeout(silence);
  document.getElementById("status").textContent = text;
  silence = setTimeout(() => { document.getElementById("status").textContent = ""; }, 4000);
}

// A place for an error beside its form: the error stays until it is dismissed, or the action succeeds
export function trouble() {
  const node = h("div", { role: "alert" });
  const clear = () => node.replaceChildren();
  const show = (error) => {
    say(""); // an older success would contradict the error
    if (error instanceof Gone) clear(); // the banner shows it already
    else node.replaceChildren(h("p", { class: "error" },
      h("span", null, error.message), h("button", { type: "button", "aria-label": "Dismiss", onclick: clear }, "×")));
  };
  return { node, show, clear };
}

// Repeats a call while the page is visible, and returns a function that ends it.
// `call` gets a function that says whether it is still wanted: a response may come after the page was left.
export function repeat(milliseconds, call, failed) {
  let timer, wanted = true;
  const turn = async () => {
    if (!document.hidden) await call(() => wanted).catch((error) => wanted && failed(error));
    if (wanted) timer = setTimeout(turn, milliseconds);
  };
  turn();
  return () => { wanted = false; clearTimeout(timer); };
}
