package dev.jobs.history;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.batches.BatchJobState;
import dev.jobs.databases.Database;
import dev.jobs.databases.NeedsPostgres;
import dev.jobs.history.EventSearch.Order;
import dev.jobs.history.EventTable.End;
import dev.jobs.history.EventTable.NewEvent;
import dev.jobs.proof.LongTest;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;

/**
 * Searches in a large history on PostgreSQL. Prints how long each takes, in milliseconds; {@code
 * -Djobs.history.events=1000000} sets the number of jobs.
 */
class HistorySearchIT {

    private static final int EVENTS = Integer.getInteger("jobs.history.events", 20_000);
    private static final int SIZE = 1_000;
    private static final int RUNS = 9;
    private static final int PAGE = 100;
    private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");
    private static final List<String> REASONS = List.of(
            "The seller is not qualified for campaign", "The product has no stock", "The price is above the limit");

    private static String task(int number) {
        return String.format("%016x", number);
    }

    @Test
    @LongTest
    @NeedsPostgres
    @Timeout(1_800)
    void searchesFindWhatIsThere() {
        try (Database database = Database.postgres()) {
            database.run("dev/jobs/history/postgresql/R__jobs_history_001.sql");
            HistoryTables tables = new HistoryTables(database.source());
            JdbcTemplate jdbc = tables.jdbc();
            for (int number = 0; number < EVENTS / SIZE; number++) {
                fill(tables, jdbc, number);
            }
            jdbc.execute("vacuum analyze");
            SingleConnectionDataSource pool = new SingleConnectionDataSource(database.url(), true);
            try {
                search(new JobHistory(new HistoryTables(pool)));
            } finally {
                pool.destroy();
            }
        }
    }

    private static void fill(HistoryTables tables, JdbcTemplate jdbc, int number) {
        String id = task(number);
        List<NewEvent> jobs = new ArrayList<>();
        List<End> ends = new ArrayList<>();
        for (int index = 0; index < SIZE; index++) {
            int each = number * SIZE + index;
            String jid = id + String.format("%08x", index);
            Instant time = START.plusSeconds(7L * each);
            BatchJobState state = each % 97 == 0
                    ? BatchJobState.DEAD
                    : each % 13 == 0 ? BatchJobState.FAILED : BatchJobState.SUCCEEDED;
            String message = state == BatchJobState.SUCCEEDED
                    ? null
                    : "[\"" + REASONS.get(each % 3) + " " + each % 1_009 + "\"]";
            jobs.add(new NewEvent(
                    jid,
                    id,
                    index,
                    "Enrollments.step" + each % 50,
                    "default",
                    BatchJobState.ENQUEUED,
                    "[" + each + ",\"11.11\"]",
                    null,
                    null,
                    time));
            ends.add(new End(
                    jid,
                    null,
                    state,
                    message,
                    message == null ? null : "dev.jobs.JobFailedException",
                    1,
                    time.plusSeconds(1),
                    time.plusSeconds(2)));
        }
        tables.inTransaction(() -> {
            tables.tasks().add(id, "enrollment", START.plusSeconds(7L * number * SIZE));
            jdbc.update("insert into jobs_task_tag values (?, ?)", id, "campaign:" + number % 100);
            tables.events().add(jobs);
            tables.events().end(ends);
        });
    }

    private static void search(JobHistory history) {
        EventSearch all = EventSearch.all();
        EventSearch ofTask = EventSearch.ofTask(task(EVENTS / SIZE / 2));
        Instant middle = START.plusSeconds(7L * EVENTS / 2);
        Map<String, EventSearch> searches = new LinkedHashMap<>();
        searches.put("newest", all);
        searches.put("of a batch", ofTask);
        searches.put("of a batch, failed", ofTask.withStates(BatchJobState.FAILED));
        searches.put("of a batch, by end", ofTask.by(Order.ENDED));
        searches.put("of a batch, words", ofTask.withText("not qualified"));
        searches.put("dead", all.withStates(BatchJobState.DEAD));
        searches.put("failed or dead", all.withStates(BatchJobState.FAILED, BatchJobState.DEAD));
        searches.put("lost (none)", all.withStates(BatchJobState.LOST));
        searches.put("a job", all.withJob("Enrollments.step7"));
        searches.put("a job, failed", all.withJob("Enrollments.step7").withStates(BatchJobState.FAILED));
        searches.put("a queue without jobs", all.withQueue("none").withStates(BatchJobState.FAILED));
        searches.put("a tag", all.withTag("campaign:7"));
        searches.put("a tag, failed", all.withTag("campaign:7").withStates(BatchJobState.FAILED));
        searches.put("an hour", all.from(middle).until(middle.plusSeconds(3_600)));
        searches.put("before the middle, failed", all.until(middle).withStates(BatchJobState.FAILED));
        searches.put("a rare word", all.withText("1007"));
        searches.put("frequent words", all.withText("seller qualified"));
        searches.put("the beginning of a frequent word", all.withText("quali"));
        searches.put("frequent words, dead", all.withText("not qualified").withStates(BatchJobState.DEAD));
        searches.put("frequent words, a tag", all.withText("no stock").withTag("campaign:7"));
        searches.put("frequent words, a job", all.withText("above limit").withJob("Enrollments.step7"));
        searches.put("frequent words in the past", all.withText("seller").until(START.plusSeconds(70_000)));
        searches.put("words that are nowhere", all.withText("unheard"));
        searches.put("words that are nowhere together", all.withText("seller stock"));
        Map<String, Integer> found = new LinkedHashMap<>();
        double slowest = 0;
        for (Map.Entry<String, EventSearch> each : searches.entrySet()) {
            double[] times = new double[RUNS];
            for (int run = 0; run < RUNS; run++) {
                long begun = System.nanoTime();
                found.put(
                        each.getKey(),
                        history.events(each.getValue(), null, PAGE).items().size());
                times[run] = (System.nanoTime() - begun) / 1e6;
            }
            Arrays.sort(times);
            slowest = Math.max(slowest, times[RUNS / 2]);
            System.out.printf(
                    "{\"scenario\":\"history-search\",\"events\":%d,\"search\":\"%s\",\"found\":%d,\"median\":%.1f,\"slowest\":%.1f}%n",
                    EVENTS, each.getKey(), found.get(each.getKey()), times[RUNS / 2], times[RUNS - 1]);
        }
        System.out.printf("{\"scenario\":\"history-search\",\"slowestMedian\":%.1f}%n", slowest);
        assertThat(found.entrySet().stream()
                        .filter(each -> each.getValue() == 0)
                        .map(Map.Entry::getKey))
                .containsExactly(
                        "lost (none)",
                        "a queue without jobs",
                        "words that are nowhere",
                        "words that are nowhere together");
        assertThat(found.get("newest")).isEqualTo(PAGE);
    }
}
