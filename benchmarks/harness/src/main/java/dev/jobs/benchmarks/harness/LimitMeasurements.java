package dev.jobs.benchmarks.harness;

import dev.jobs.benchmarks.driver.Arguments;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.JsonNode;

/** What limits on jobs at once, limiters and results cost, beside jobs that have none. */
final class LimitMeasurements {

    private static final int JOBS = 100_000;
    private static final int USES = 9_000;
    private static final int AWAITED = 40_000;
    private static final String PLAIN = "no limit";
    private static final int KEYS = 100;
    private static final Map<String, List<Integer>> PERMITS_AND_KEYS = Map.of(
            "1,000,000 permits",
            List.of(1_000_000, 1),
            "1,000,000 permits, 100 keys",
            List.of(1_000_000, KEYS),
            "1 permit",
            List.of(1, 1));

    private final JobsMeasurements wide;

    LimitMeasurements(JobsMeasurements wide) {
        this.wide = wide;
    }

    /**
     * Jobs without a limit, with one that is never full, of one key and of a hundred in turn, and with one permit: all
     * but one of those that are claimed are parked, and each that ends lets the next one go on.
     */
    void limits() throws IOException {
        try (ChildProcess child = wide.jobs("limits")) {
            wide.warmUpJobs(child);
            for (String who :
                    wide.inTurn(List.of(PLAIN, "1,000,000 permits", "1,000,000 permits, 100 keys", "1 permit"))) {
                wide.server().clear();
                int jobs = wide.options().dose(JOBS);
                List<Integer> limit = PERMITS_AND_KEYS.get(who);
                if (limit == null) {
                    child.ask("fill", jobs, 1, Arguments.STANDARD);
                } else {
                    child.ask("fill-limited", jobs, limit.get(0), limit.get(1));
                }
                wide.drained("limits", who, child.ask("drain", jobs, 10, "default"));
            }
        }
    }

    void limiters() throws IOException {
        try (ChildProcess child = wide.jobs("limiters")) {
            for (String kind : List.of("bucket", "window", "leaky", "points", "concurrent")) {
                for (String room : List.of("room", "none")) {
                    wide.server().clear();
                    child.ask("use-limiter", kind, room, USES / 3);
                    wide.server().clear();
                    JsonNode answer = child.ask("use-limiter", kind, room, USES);
                    wide.line("limiters", kind + ", " + room, answer);
                    perJob("limiters: Redis time in scripts, µs/use", kind + ", " + room, answer);
                }
            }
        }
    }

    void results() throws IOException {
        try (ChildProcess child = wide.jobs("results")) {
            child.ask("serve", 10, "default");
            for (String who : wide.inTurn(List.of("enqueue", "await"))) {
                int jobs = wide.options().dose(AWAITED);
                child.ask(who, jobs);
                wide.server().ask("CONFIG RESETSTAT");
                JsonNode answer = child.ask(who, jobs);
                wide.line("results", who, answer);
                wide.value("results: jobs/s", who, Comparison.perSecond(answer));
                perJob("results: Redis time in scripts, µs/job", who, answer);
            }
            child.ask("stop");
        }
    }

    private void perJob(String title, String who, JsonNode answer) {
        wide.value(
                title,
                who,
                answer.path("redis_script_nanos").asDouble()
                        / answer.path("jobs").asDouble()
                        / 1e3);
    }
}
