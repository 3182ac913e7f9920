/**
 * Keeps the focus near where it was when the focused element vanishes, such as the row of a job that was deleted; the
 * browser would drop it at the start of the page.
 */

const CONTROLS = 'a[href], button:not(:disabled), input:not(:disabled), select:not(:disabled)';

/** What has the focus, or had it until it vanished. @type {Element | null} */
let focused = null;

export function startFocus() {
  document.addEventListener('focusin', ({ target }) => {
    focused = /** @type {Element} */ (target);
  });
  // Taking the focus away is no loss, removing its element is: by then that is done.
  document.addEventListener('focusout', ({ target }) => {
    setTimeout(() => {
      if (focused === target && focused.isConnected && document.activeElement !== target) focused = null;
    });
  });
  new MutationObserver(restore).observe(document.body, { childList: true, subtree: true });
}

/** @param {MutationRecord[]} records */
function restore(records) {
  if (!focused || focused.isConnected || document.activeElement !== document.body) return;
  const lost = focused;
  focused = null;
  const removal = records.find(({ removedNodes }) => [...removedNodes].some((node) => node.contains(lost)));
  (removal && (inRows(lost, removal, records) ?? nearby(removal.target))) || toHeading(removal?.target);
}

/** Focuses the same control of the next row, or of the previous one if there is none. @returns {boolean | null} */
function inRows(lost, removal, records) {
  const row = lost.closest('tr');
  if (!row) return focus(likeliest(lost, [], controlsOf(removal.target.closest('tr'))));
  const next = neighbour(row, records, 'nextSibling') ?? neighbour(row, records, 'previousSibling');
  return focus(likeliest(lost, controlsOf(row), controlsOf(next)));
}

/** The nearest row that is still there. */
function neighbour(row, records, side) {
  let next = row;
  do {
    const removal = records.find(({ removedNodes }) => [...removedNodes].includes(next));
    next = removal?.[side];
  } while (next && !next.isConnected);
  return next;
}

const controlsOf = (element) => [...(element?.querySelectorAll?.(CONTROLS) ?? [])];

/** The control with the same meaning, or else at the same position. */
function likeliest(lost, before, now) {
  const same = ({ title, type, textContent }) =>
    title === lost.title && type === lost.type && textContent === lost.textContent;
  return now.find(same) ?? now[Math.min(Math.max(before.indexOf(lost), 0), now.length - 1)];
}

/** Focuses what is left of the group to which the lost element belonged. */
const nearby = (parent) => focus(controlsOf(parent.closest('form, nav, .steady'))[0]);

/** @returns {true | null} */
function focus(element) {
  element?.focus();
  return element ? true : null;
}

function toHeading(parent) {
  const heading = parent?.closest('section')?.querySelector('h2') ?? document.querySelector('main h1');
  if (heading) heading.tabIndex = -1;
  (heading ?? document.querySelector('main'))?.focus({ preventScroll: true });
}
