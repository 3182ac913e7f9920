/** JSON for people. */

/** Texts beyond this are shown as they are: nobody reads them line by line. */
const MOST = 50_000;
/** A short list or object stays in one line. */
const SHORT = 60;

/**
 * Lays out JSON with one member a line. Changes white space only: a number keeps all its digits, which parsing it here
 * would cost. What is no JSON comes back as it is.
 *
 * @param {string} text
 * @returns {string}
 */
export function pretty(text) {
  if (text.length > MOST || !isJson(text)) return text;
  return format(tokens(text), '').text;
}

const isJson = (text) => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

/** @param {string} text @returns {string[]} texts, numbers and words are one token each */
const tokens = (text) => text.match(/"(?:[^"\\]|\\.)*"|[[\]{},:]|[^\s[\]{},:"]+/gs) ?? [];

/** Formats the value at the beginning of the tokens. @returns {{ text: string, rest: number }} */
function format(all, indent, at = 0) {
  const open = all[at];
  if (open !== '[' && open !== '{') return { text: open, rest: at + 1 };
  const close = open === '[' ? ']' : '}';
  const inner = `${indent}  `;
  const parts = [];
  let next = at + 1;
  while (all[next] !== close) {
    let name = '';
    if (open === '{') {
      name = `${all[next]}: `;
      next += 2;
    }
    const value = format(all, inner, next);
    parts.push(name + value.text);
    next = all[value.rest] === ',' ? value.rest + 1 : value.rest;
  }
  const line = parts.join(', ');
  const text =
    line.length <= SHORT && !line.includes('\n')
      ? open + line + close
      : `${open}\n${parts.map((part) => inner + part).join(',\n')}\n${indent}${close}`;
  return { text, rest: next + 1 };
}
