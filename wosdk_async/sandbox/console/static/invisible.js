// Control and invisible characters: the ranges of `safe_text.INVISIBLE`, except tab and line feed
const INVISIBLE = /[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u034f\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ud800-\udfff\ufe00-\ufe0d\ufeff\uffa0\ufff0-\ufffb\u{110bd}\u{110cd}\u{13430}-\u{1343f}\u{1bca0}-\u{1bca3}\u{1d173}-\u{1d17a}\u{e0000}-\u{e0fff}]/gu;

// Returns text to show, with escapes for characters that are invisible or change the text direction. Requests are sent
// without these escapes.
export function visible(text) {
  return String(text).replace(INVISIBLE, (char) => `\\u{${char.codePointAt(0).toString(16)}}`);
}
