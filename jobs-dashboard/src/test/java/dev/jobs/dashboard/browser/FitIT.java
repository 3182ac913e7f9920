package dev.jobs.dashboard.browser;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** On every page at every width, whatever is shown: nothing sticks out of its card, its box, or the page. */
@BrowserTest
class FitIT {

    /** A phone, a screen, and what is between them: where tables fold and columns stand side by side or not. */
    private static final int[] WIDTHS = {360, 736, 768, 960, 1024, 1440};

    /**
     * The texts and elements that are visible beyond the edges of what they belong to; what is cut or scrolled by an
     * element around it is not.
     */
    static final String STICKING_OUT = """
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

    private final TestShop shop;
    private final Browser browser;

    FitIT(TestShop shop, Browser browser) {
        this.shop = shop;
        this.browser = browser;
    }

    private FullShop full;

    @TestFactory
    Stream<DynamicTest> everythingFits() {
        full = new FullShop(shop);
        return Stream.of(Visit.values()).map(visit -> DynamicTest.dynamicTest(visit.name(), () -> fits(visit)));
    }

    @AfterEach
    void empty() {
        full.close();
    }

    private void fits(Visit visit) {
        browser.size(1440, 900, false);
        visit.open(full, browser);
        fitsAtEveryWidth(visit, "English");
        if (!visit.isBehindAButton()) { // its words would have to be known
            browser.script("localStorage.setItem('jobs.language', 'de'); localStorage.setItem('jobs.times', 'exact')");
            visit.open(full, browser);
            fitsAtEveryWidth(visit, "German with exact times");
            browser.script("localStorage.clear()");
        }
    }

    private void fitsAtEveryWidth(Visit visit, String how) {
        for (int width : WIDTHS) {
            browser.size(width, 800, width < 700);
            await("%s in %s at %d px".formatted(visit, how, width))
                    .atMost(Duration.ofSeconds(20))
                    .untilAsserted(() ->
                            assertThat(browser.script(STICKING_OUT, width)).isEqualTo(List.of()));
        }
    }
}
