// The router of the pages. A page fills `main`, and may return a function that stops its updates.
import { faults } from "./faults.js";
import { get } from "./api.js";
import { create } from "./create.js";
import { aboutAll, h, say } from "./dom.js";
import { visible } from "./invisible.js";
import { order } from "./order.js";
import { companies, orders } from "./orders.js";
import { tabs } from "./pages.js";
import { record, records, types } from "./records.js";
import { requests } from "./requests.js";

const pages = [
  [/^#\/companies$/, "Companies", companies],
  [/^#\/companies\/(\d+)$/, "Work orders", orders],
  [/^#\/companies\/(\d+)\/orders\/(\d+)$/, "Work order", order],
  [/^#\/companies\/(\d+)\/create$/, "Create a work order", create],
  [/^#\/companies\/(\d+)\/types$/, "All records", types],
  [/^#\/companies\/(\d+)\/types\/(\w+)$/, "Records", records],
  [/^#\/companies\/(\d+)\/types\/(\w+)\/(\d+)$/, "Record", record],
  [/^#\/requests$/, "Requests", requests],
  [/^#\/faults$/, "Faults and clock", faults],
];

let end = null, shown = 0, first = true, failed = false;

async function show() {
  if (location.hash === "#main") return;
  const [path, query] = (location.hash || "#/companies").split("?");
  const [, title, page] = pages.find(([pattern]) => pattern.test(path)) ?? pages[0];
  const found = pages.find(([pattern]) => pattern.test(path))?.[0].exec(path).slice(1) ?? [];
  const turn = ++shown;
  end?.();
  end = null;
  say("");
  document.title = visible(`${title} · Sandbox console`);
  for (const link of document.querySelectorAll("nav a")) {
    const here = path.startsWith(link.hash || "#none");
    here ? link.setAttribute("aria-current", "page") : link.removeAttribute("aria-current");
  }
  const main = h("main", { id: "main", tabindex: "-1" });
  failed = false;
  try {
    if (!/^#\/companies\/\d/.test(path)) aboutAll((await get("companies")).Companies);
    const ends = await page(main, ...found, new URLSearchParams(query));
    if (turn !== shown) { ends?.(); return; } // another page was opened meanwhile
    end = ends ?? null;
  } catch (error) {
    if (turn !== shown) return;
    failed = true;
    main.append(await pagesOf(path), h("h1", null, title), h("p", { class: "error", role: "alert" }, error.message));
    if (turn !== shown) return;
  }
  const before = document.activeElement?.id;
  document.getElementById("main").replaceWith(main);
  const kept = before && document.getElementById(before);
  if (kept && kept !== main) kept.focus();
  else if (!first) main.focus({ preventScroll: true });
  first = false;
  dispatchEvent(new Event("shown"));
}

// Returns links to the pages of the Company in a broken address, so that the error page leads back to them
async function pagesOf(path) {
  const [, key] = /^#\/companies\/(\d+)/.exec(path) ?? [];
  const companies = key ? (await get("companies").catch(() => ({ Companies: [] }))).Companies : [];
  const company = companies.find((one) => String(one.Id) === key);
  return company ? tabs(key, company.Name, "") : "";
}

addEventListener("hashchange", show);
addEventListener("back", () => failed && show()); // only failed pages are reloaded: others may contain user input
show();
