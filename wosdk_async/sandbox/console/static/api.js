// Calls of the JSON API below /console/api/, and the banner that is shown while the sandbox does not respond.

export const RESTART = "Start it again, as the message at the top of the page says";
const RETRY = 2000; // milliseconds

export class Gone extends Error {}

export function get(path) {
  return ask(path);
}

export function send(method, path, body) {
  return ask(path, {
    method,
    headers: { "X-Sandbox-Console": "1", "Content-Type": "application/json" },
    body: body === undefined ? undefined : JSON.stringify(body),
  });
}

async function ask(path, options) {
  let response;
  try {
    response = await fetch(`/console/api/${path}`, options);
  } catch {
    lost();
    throw new Gone(`The sandbox does not respond. ${RESTART}, and try again.`);
  }
  back();
  const body = await response.json().catch(() => ({}));
  if (!response.ok) throw new Error(body.ErrorMessage || `The sandbox responded with ${response.status}.`);
  return body;
}

// Returns whether the sandbox responds. If it does not, the banner says so.
export async function reachable() {
  return get("clock").then(() => true, (error) => !(error instanceof Gone));
}

const banner = document.getElementById("gone");
let retry = null;

function lost() {
  if (!banner.textContent) banner.textContent = `The sandbox does not respond: it was shut down, or is unreachable. Start it again: wosdk sandbox serve --store FILE --port ${location.port}, or your program. Until then the page is stale.`;
  document.body.toggleAttribute("data-gone", true);
  retry ??= setTimeout(() => { retry = null; get("clock").catch(() => {}); }, RETRY);
}

// While the sandbox does not respond, links to other documents do nothing: the browser would show its own error page.
addEventListener("click", (event) => {
  const link = event.target.closest?.("a[href]");
  if (link && banner.textContent && link.pathname !== location.pathname) event.preventDefault();
});

function back() {
  if (!banner.textContent) return;
  banner.textContent = "";
  document.body.toggleAttribute("data-gone", false);
  dispatchEvent(new Event("back"));
}
