// Elements that are made of text only, so that nothing from the service is ever read as markup.
import { Gone } from "./api.js";
import { visible } from "./invisible.js";

const SHOWN = new Set(["title", "aria-label", "data-label"]); // attributes that people read

export function h(tag, attributes, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (typeof value === "boolean") element.toggleAttribute(name, value);
    else if (value !== null && value !== undefined) element.setAttribute(name, SHOWN.has(name) ? visible(value) : value);
  }
  const given = children.flat().filter((child) => child !== null && child !== undefined);
  element.append(...given.map((child) => child instanceof Node ? child : visible(child)));
  return element;
}

// columns: pairs of a heading and a function that returns the cell of a row as text or an element
export function table(caption, columns, rows, empty = "None.") {
  if (!rows.length) return h("p", { class: "quiet" }, empty);
  const head = columns.map(([title]) => h("th", { scope: "col" }, title));
  const line = (row) => h("tr", null, columns.map(([title, show]) => cell(title, shown(show(row)))));
  return h("table", null,
    h("caption", null, caption),
    h("thead", null, h("tr", null, head)),
    h("tbody", null, rows.map(line)));
}

// Long text without blanks may be broken anywhere. Otherwise a few such columns would be wider than the page.
function cell(title, content) {
  const node = h("td", { "data-label": title }, content);
  node.classList.toggle("long", /\S{25}/.test(node.textContent));
  return node;
}

export function facts(pairs) {
  return h("dl", null, pairs.map(([name, value]) => h("div", null, h("dt", null, name), h("dd", null, shown(value)))));
}

// Formats a value of the service: a reference as its name and id, anything else as text
export function shown(value) {
  if (value instanceof Node) return value;
  if (value === null || value === undefined || value === "") return "–";
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (typeof value !== "object") return String(value);
  if (value.Time !== undefined) return time(value.Time);
  const name = value.Name ?? value.DisplayAs;
  if (name !== undefined) return value.Id === undefined ? String(name) : `${name} (${value.Id})`;
  if (value.Value !== undefined) return `${value.Value} ${value.CurrencyTypeId ?? ""}`.trim();
  return Object.keys(value).join() === "Id" ? `Id ${value.Id}` : JSON.stringify(value);
}

// Formats a time. All times are in UTC, as the header of each page says.
export function time(written) {
  const text = String(written);
  return h("time", { datetime: text }, text.slice(0, 19).replace("T", " "));
}

// Truncates long text for a cell of a list; the title has the whole text
export function cut(text, length = 90) {
  return typeof text === "string" && text.length > length ? h("span", { title: text }, `${text.slice(0, length)}…`) : text;
}

export function raw(text, title = "Raw JSON, as the service sends it") {
  return h("details", { class: "raw" }, h("summary", null, title), h("pre", { tabindex: "0", "aria-label": title }, text));
}

export function option(value, label, selected = false) {
  return h("option", { value, selected }, label);
}

// Names the Company of a page in the header, as a link if there is an id
export function about(name, id) {
  const place = document.getElementById("company");
  place.replaceChildren(...(id === undefined ? [visible(name)] : [h("a", { href: `/console#/companies/${id}` }, name)]));
  place.title = visible(name);
}

export function aboutAll(companies) {
  about(companies.length === 1 ? companies[0].Name : `All ${companies.length} Companies: ${companies.map((one) => one.Name).join(", ")}`);
}

export function state(name) {
  return h("span", { class: "state", "data-state": name ?? "" }, name ?? "–");
}

let silence;

// Shows a short message for a few seconds. Screen readers read it out.
export function say(text) {
  clearTimeout(silence);
  document.getElementById("status").textContent = visible(text);
  silence = setTimeout(() => { document.getElementById("status").textContent = ""; }, 4000);
}

// A place for an error beside its form. The error stays until it is dismissed or the action succeeds, or, if the sandbox
// did not respond, until the sandbox responds again.
export function trouble() {
  const node = h("div", { role: "alert" });
  const clear = () => node.replaceChildren();
  const show = (error) => {
    say(""); // an older success would contradict the error
    node.replaceChildren(h("p", { class: "error" },
      h("span", null, error.message), h("button", { type: "button", "aria-label": "Dismiss", onclick: clear }, "×")));
    const shown = node.firstChild;
    if (error instanceof Gone) addEventListener("back", () => shown.remove(), { once: true });
  };
  return { node, show, clear };
}

// Repeats `call` while the page is visible, and returns a function that stops the repetition. `failed` is called with
// errors, unless the sandbox does not respond: then the banner says so. `call` gets a function that returns whether the
// result is still wanted, because a response may arrive after the user has left the page.
export function repeat(milliseconds, call, failed) {
  let timer, wanted = true;
  const turn = async () => {
    if (!document.hidden) await call(() => wanted).catch((error) => wanted && !(error instanceof Gone) && failed(error));
    if (wanted) timer = setTimeout(turn, milliseconds);
  };
  turn();
  return () => { wanted = false; clearTimeout(timer); };
}
