package dev.jobs.benchmarks.harness;

import dev.jobs.benchmarks.driver.Arguments;
import dev.jobs.benchmarks.driver.Pauses;
import dev.jobs.benchmarks.driver.Quantiles;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** What limits on jobs at once, limiters and results cost, beside jobs that have none. */
final class LimitMeasurements {

    private static final int JOBS = 100_000;
    private static final int USES = 9_000;
    private static final int AWAITED = 40_000;
    static final String PLAIN = "no limit";
    private static final int KEYS = 100;
    private static final int RATED = 1_000;

    /** Jobs a second, and the burst. */
    private static final int RATE = 100;

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

    /**
     * Jobs that wait for a rate. Its burst is that of a second, so that the instants at which it allows starts don't depend
     * on how late earlier ones were, up to a second: after the burst they are a grid. The grid lies so that no job started
     * early: what every start takes at least isn't lateness.
     */
    void rates() throws IOException {
        try (ChildProcess child = wide.jobs("rates")) {
            wide.warmUpJobs(child);
            rated(child, RATE);
            long[] starts = rated(child, wide.options().dose(RATED));
            List<Long> late = new ArrayList<>();
            for (int i = RATE; i < starts.length; i++) {
                late.add(starts[i] - i * 1_000_000_000L / RATE);
            }
            long least = Collections.min(late);
            late.replaceAll(each -> each - least);
            ObjectNode line = JsonNodeFactory.instance.objectNode();
            line.put("jobs", starts.length).put("rate", RATE);
            Quantiles quantiles = new Quantiles(late);
            Map.of("p50", 0.5, "p99", 0.99, "max", 1.0).forEach((name, share) -> {
                line.put(name + "_nanos", quantiles.at(share));
                wide.value("rates: lateness " + name + ", ms", Figure.JOBS, quantiles.at(share) / 1e6);
            });
            wide.line("rates", Figure.JOBS, line);
        }
    }

    /** When jobs started that were all there at once, sorted. */
    private long[] rated(ChildProcess child, int jobs) {
        wide.server().clear();
        child.ask("serve", 10, "default");
        child.ask("fill-rated", jobs, RATE);
        Pauses.pause(Duration.ofSeconds(jobs / RATE)); // without asking Redis meanwhile
        wide.awaitProcessed(jobs);
        String starts = child.ask("starts").get("starts").asString();
        child.ask("stop");
        return Stream.of(starts.split(",")).mapToLong(Long::parseLong).sorted().toArray();
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
