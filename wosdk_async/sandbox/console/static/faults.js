import { get, send } from "./api.js";
import { h, repeat, say, time, trouble } from "./dom.js";

const OPERATIONS = ["any", "token", "discovery", "retrieve", "query", "create", "update", "delete", "command", "WoCreateCommand"];
const SIMPLE = {
  latency: { title: "Latency", rule: (value) => ({ fault: "latency", fixed: value }), value: "Seconds", start: 0.5 },
  unavailable: { title: "503 responses", rule: () => ({ fault: "status", status: 503 }) },
  throttled: { title: "429 responses, Retry-After", rule: (value) => ({ fault: "status", status: 429, retry_after: value }), value: "Seconds to wait", start: 1 },
  reset: { title: "Reset after the commit", rule: () => ({ fault: "reset", carried_out: true }) },
};

export async function faults(main) {
  const rules = h("div", { id: "rules" });
  const counters = h("p", { id: "injected", class: "quiet" });
  const now = h("output", { class: "clock", for: "span unit" });
  const wrong = { rules: trouble(), rule: trouble(), clock: trouble() };
  let script = { seed: 0, rules: [] }, rendered = "";

  function put(changed, text, place = wrong.rules) {
    return send("PUT", "faults", { seed: script.seed, rules: changed.map(({ rule, on }) => ({ rule, on })) })
      .then((found) => { place.clear(); rendered = ""; render(found); say(text); }, (error) => { rendered = ""; render(script); place.show(error); });
  }
  function move(span) {
    return send("POST", "clock", span).then((found) => { wrong.clock.clear(); tick(found); say("Clock moved."); }, wrong.clock.show);
  }

  function render(found) {
    script = found;
    const total = Object.entries(found.injected).map(([kind, count]) => `${kind} ${count}`).join(", ");
    counters.textContent = `Injected since the last change: ${total || "nothing"}. Seed ${found.seed}.`;
    found.rules.forEach((one, place) => { const cell = rules.querySelector(`[data-place="${place}"]`); if (cell) cell.textContent = counted(one); });
    const shape = JSON.stringify(found.rules.map(({ rule, on }) => [rule, on]));
    if (shape === rendered) return; // only counters changed: redrawing the rules would lose the focus
    rendered = shape;
    rules.replaceChildren(found.rules.length ? h("ul", { class: "rules" }, found.rules.map(line)) : h("p", { class: "quiet" }, "No rules: no faults are injected."));
  }

  function line(one, place) {
    const flip = (event) => put(script.rules.map((each, at) => at === place ? { ...each, on: event.target.checked } : each), event.target.checked ? "Rule enabled." : "Rule disabled.");
    const { fault, ...settings } = one.rule;
    const text = Object.entries(settings).map(([name, value]) => `${name} = ${JSON.stringify(value)}`).join(", ");
    return h("li", null,
      h("label", { class: "switch" }, h("input", { type: "checkbox", role: "switch", checked: one.on, onchange: flip }), " ", h("strong", null, fault), h("code", null, text)),
      h("span", { class: "quiet", "data-place": String(place) }, counted(one)),
      h("button", { type: "button", "aria-label": `Remove rule ${place + 1}, ${fault}`, onclick: () => put(script.rules.filter((_, at) => at !== place), "Rule removed.") }, "Remove"));
  }

  const tick = (found) => { now.replaceChildren(time(found.now)); };
  main.append(
    h("h1", null, "Faults and clock"),
    h("p", { class: "quiet" }, "Rules and clock apply to all Companies of the sandbox."),
    h("section", null, h("h2", null, "Rules"), counters, rules, wrong.rules.node),
    h("section", null, h("h2", null, "Add a rule"), adding((rule) => put([...script.rules, { rule, on: true }], "Rule enabled.", wrong.rule), (text) => wrong.rule.show(new Error(text))), wrong.rule.node),
    h("section", null, h("h2", null, "Clock"), h("p", null, now, " UTC"), moving(move), wrong.clock.node));
  render(await get("faults"));
  return repeat(1000, async (wanted) => {
    const [found, time] = await Promise.all([get("faults"), get("clock")]);
    if (!wanted()) return;
    render(found);
    tick(time);
  }, wrong.rules.show);
}

function counted(one) {
  return one.on ? `applied to ${one.applied} of ${one.matched} requests` : "off";
}

function adding(add, refuse) {
  const kind = h("select", { id: "kind" }, Object.entries(SIMPLE).map(([name, { title }]) => h("option", { value: name }, title)));
  const value = h("input", { id: "value", type: "number", min: "0", step: "any", value: "0.5" });
  const name = h("span", null, "Seconds");
  const share = h("input", { id: "share", type: "number", min: "0", max: "100", step: "any", value: "100", required: true });
  const operation = h("select", { id: "operation" }, OPERATIONS.map((each) => h("option", null, each)));
  const label = h("label", null, name, value);
  kind.addEventListener("change", () => {
    const chosen = SIMPLE[kind.value];
    label.hidden = !chosen.value;
    name.textContent = chosen.value ?? "";
    value.value = chosen.start ?? 0;
  });
  return h("form", { class: "bar", onsubmit: (event) => {
    event.preventDefault();
    if (!label.hidden && value.value === "") return refuse(`${name.textContent} is missing: enter a number.`);
    if (Number(share.value) === 0) return refuse("Percent of requests is 0: the rule would never apply. Enter more than 0.");
    const rule = SIMPLE[kind.value].rule(Number(value.value));
    if (operation.value !== "any") rule.operation = operation.value;
    if (Number(share.value) < 100) rule.rate = Number(share.value) / 100;
    add(rule);
  } },
    h("label", null, "Fault", kind), label, h("label", null, "Percent of requests", share),
    h("label", null, "Operation", operation), h("button", null, "Add"));
}

function moving(move) {
  const span = h("input", { id: "span", type: "number", min: "0", step: "any", value: "21", required: true });
  const unit = h("select", { id: "unit" }, ["seconds", "minutes", "hours", "days"].map((each) => h("option", { selected: each === "minutes" }, each)));
  return h("form", { class: "bar", onsubmit: (event) => { event.preventDefault(); move({ [unit.value]: Number(span.value) }); } },
    h("label", null, "Move forward by", span), h("label", null, "Unit", unit), h("button", null, "Advance"),
    h("p", { class: "quiet" }, "Tokens expire after 20 minutes. The clock cannot be moved back."));
}
