package dev.jobs.admin;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** How far a page reads. */
class BudgetedScanTests {

    private static final int LARGE = 1 << 20;
    private static final int TOTAL = 40;

    /** However many were asked for, they don't fill the memory of a small application. */
    @Test
    void aPageOfLargeJobsEndsEarlyAndTheNextOneGoesOnThere() {
        byte[] large = new byte[LARGE];
        BudgetedScan.Pages jobs = (from, count) -> LongStream.range(from, Math.min(TOTAL, from + count))
                .mapToObj(i -> JobRecord.inQueue("mail", large))
                .toList();
        ScanBudget budget = new ScanBudget(10_000, Duration.ofSeconds(10));

        Page<ListedJob> first = new BudgetedScan(budget).page(jobs, TOTAL, job -> true, 0, 200);
        assertThat(first.items()).hasSize(16);
        assertThat(first.next()).isEqualTo(16);
        assertThat(first.partial()).isTrue();
        Page<ListedJob> last = new BudgetedScan(budget).page(jobs, TOTAL, job -> true, 32, 200);
        assertThat(last.items()).hasSize(8);
        assertThat(List.of(last.next(), last.total())).containsExactly(-1L, (long) TOTAL);
    }
}
