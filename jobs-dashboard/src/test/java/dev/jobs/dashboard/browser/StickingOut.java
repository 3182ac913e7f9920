package dev.jobs.dashboard.browser;

/** Finds what is wider than its place on a page. */
final class StickingOut {

    /**
     * The texts and elements that are visible beyond the edges of what they belong to; what is cut or scrolled by an
     * element around it is not.
     */
    static final String SCRIPT = """
            const [width] = arguments;
            const out = [];
            const tell = (what, inside, where) => {
              const of = what.nodeType === Node.TEXT_NODE ? what.parentElement : what;
              out.push(`${of.tagName}.${of.className?.baseVal ?? of.className} "${what.textContent.slice(0, 40)}" ${inside}: ${where}`);
            };
            const beyond = (inner, outer, tolerance = 1.5) => {
              const sides = { left: outer.left - inner.left, right: inner.right - outer.right, top: outer.top - inner.top,
                  bottom: inner.bottom - outer.bottom };
              return Object.entries(sides).filter(([, by]) => by > tolerance).map(([side, by]) => `${side} ${Math.round(by)} px`).join(', ');
            };
            const clipped = (element, frame) => {
              for (let each = element; each && each !== frame; each = each.parentElement) {
                if (getComputedStyle(each).overflowX !== 'visible') return true;
              }
              return false;
            };
            const boxOf = (element) => {
              let each = element;
              while (getComputedStyle(each).display.startsWith('inline') || getComputedStyle(each).display === 'contents') each = each.parentElement;
              return each;
            };
            const visible = (each) => each.checkVisibility({ visibilityProperty: true, opacityProperty: true })
                && !each.closest('.visually-hidden, .skip, dialog:not([open]), option');
            if (document.documentElement.scrollWidth > width) out.push(`the page: ${document.documentElement.scrollWidth} px`);
            const frames = document.querySelectorAll('main .card, main .notice, main .empty, main .page-head, main form, dialog[open]');
            for (const frame of frames) {
              if (!visible(frame)) continue;
              const edges = frame.getBoundingClientRect();
              const scrolls = getComputedStyle(frame).overflowY !== 'visible';
              if (edges.left < -1 || edges.right > width + 1) tell(frame, 'in the page', `${edges.left} to ${edges.right}`);
              for (const each of frame.querySelectorAll('*')) {
                const box = each.getBoundingClientRect();
                if (!box.width || !box.height || !visible(each) || clipped(each.parentElement, frame)) continue;
                const where = beyond(box, scrolls ? { left: edges.left, right: edges.right, top: -Infinity, bottom: Infinity } : edges);
                if (where) tell(each, `in .${frame.className}`, where);
              }
              const texts = document.createTreeWalker(frame, NodeFilter.SHOW_TEXT);
              while (texts.nextNode()) {
                const text = texts.currentNode;
                const parent = text.parentElement;
                if (!text.data.trim() || !visible(parent) || parent.closest('svg') || clipped(parent, frame)) continue;
                const range = document.createRange();
                range.selectNodeContents(text);
                const box = boxOf(parent).getBoundingClientRect();
                for (const line of range.getClientRects()) {
                  const where = beyond(line, { left: box.left, right: box.right, top: -Infinity, bottom: Infinity }, 9); // a space at the end of a line may hang
                  if (where) tell(text, 'in its box', where);
                }
              }
            }
            return [...new Set(out)].slice(0, 10);""";

    private StickingOut() {}
}
