package dev.jobs.dashboard.browser;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.shards.dashboard.ViewOverAll;
import org.junit.jupiter.api.Test;

/** A page that nobody visits in tests is one that nobody has looked at. */
class VisitOverAllTests {

    @Test
    void everyPageOverAllShardsIsVisited() {
        assertThat(VisitOverAll.PAGES.keySet()).isEqualTo(ViewOverAll.pages().keySet());
    }
}
