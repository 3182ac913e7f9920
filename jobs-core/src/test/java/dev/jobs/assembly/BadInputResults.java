package dev.jobs.assembly;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.jobs.JobDefinition;
import dev.jobs.JobListener.Ending;
import dev.jobs.JobRegistry;
import dev.jobs.Payload;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Checks what became of each bad input, and counts the results. */
final class BadInputResults {

    /** What became of an input. */
    enum Result {
        DONE,
        RETRIED,
        DEAD,
        DROPPED,
        /** Stays in a set for ever, or in a queue that no capsule serves. */
        WAITS
    }

    /** An entry in Redis. */
    record StoredEntry(String key, double score, byte[] bytes) {

        @Override
        public String toString() {
            return key + " as " + BadInput.shown(bytes);
        }
    }

    private final JobRegistry registry;
    private final Set<String> served;
    private final Map<Result, Integer> counts = new EnumMap<>(Result.class);
    private final List<String> failures = new ArrayList<>();
    private int executed;
    private int reported;
    private int died;

    /** @param served the keys of the served queues */
    BadInputResults(JobRegistry registry, Set<String> served) {
        this.registry = registry;
        this.served = served;
    }

    /**
     * Checks and counts one input, or records why it failed the check.
     *
     * @param endings the reported endings of its executions
     * @param found its entries in Redis now
     */
    void judge(BadInput input, List<Ending> endings, List<StoredEntry> found, double now) {
        try {
            counts.merge(result(input, endings, found, now), 1, Integer::sum);
        } catch (AssertionError e) {
            failures.add(input + "\n    ended as " + endings + " and is in " + found + ": "
                    + String.valueOf(e.getMessage()).replaceAll("\\s+", " "));
        }
    }

    private Result result(BadInput input, List<Ending> endings, List<StoredEntry> found, double now) {
        Payload payload = input.payload();
        if (input.neverDue()) {
            StoredEntry there = untouched(input, endings, found);
            assertThat(there.key()).isEqualTo(input.key());
            assertThat(there.score()).isEqualTo(input.score());
            return Result.WAITS;
        }
        if (payload == null) {
            return buriedAsItIs(input, endings, found);
        }
        if (input.inSet() && !payload.has("retry")) {
            payload = payload.with("retry", true); // filled in by the poller, as by Sidekiq's
        }
        boolean usable = payload.name() != null && (!payload.has("args") || payload.hasArgsArray());
        String target = input.inSet() ? target(payload) : input.key();
        if (!usable || target == null) {
            reported++;
            if (!input.inSet()) {
                executed++;
                died++;
            }
            assertThat(endings).isEqualTo(input.inSet() ? List.of() : List.of(Ending.DEAD));
            return buried(found);
        }
        if (input.inSet() && payload.get("at") instanceof Number at && at.doubleValue() > now) {
            assertThat(endings).isEmpty();
            assertThat(only(found).key()).isEqualTo("schedule");
            assertThat(only(found).score()).isCloseTo(Math.min(at.doubleValue(), 1e12), within(0.001));
            assertThat(Payload.parse(only(found).bytes()).has("at")).isFalse();
            return Result.WAITS;
        }
        if (!served.contains(target)) {
            assertThat(endings).isEmpty();
            assertThat(only(found).key()).isEqualTo(target);
            return Result.WAITS;
        }
        executed++;
        return executed(input, payload, endings, found, now);
    }

    /** The key of the queue of a due job, or null if it has no valid queue. */
    private static @Nullable String target(Payload payload) {
        if (!payload.has("queue")) {
            return "queue:default";
        }
        String queue = payload.queue();
        boolean usable = queue != null
                && !queue.isEmpty()
                && queue.indexOf('\n') < 0
                && queue.codePoints().noneMatch(c -> c >= 0xd800 && c <= 0xdfff);
        return usable ? "queue:" + queue : null;
    }

    private static StoredEntry untouched(BadInput input, List<Ending> endings, List<StoredEntry> found) {
        assertThat(endings).isEmpty();
        assertThat(only(found).bytes()).isEqualTo(input.bytes());
        return only(found);
    }

    private static StoredEntry only(List<StoredEntry> found) {
        assertThat(found).as("entries").hasSize(1);
        return found.get(0);
    }

    private Result buriedAsItIs(BadInput input, List<Ending> endings, List<StoredEntry> found) {
        reported++;
        assertThat(endings).isEqualTo(input.inSet() ? List.of() : List.of(Ending.DEAD));
        assertThat(only(found).key()).isEqualTo("dead");
        assertThat(only(found).bytes()).isEqualTo(input.bytes());
        return Result.DEAD;
    }

    private static Result buried(List<StoredEntry> found) {
        assertThat(only(found).key()).isEqualTo("dead");
        tells(Payload.parse(only(found).bytes()));
        return Result.DEAD;
    }

    private static void tells(Payload payload) {
        assertThat(payload.text("error_class")).isNotEmpty();
        assertThat(payload.text("error_message")).isNotNull();
        assertThat(payload.text("queue")).isNotNull();
        assertThat(payload.time("failed_at")).isNotNull();
    }

    private Result executed(
            BadInput input, Payload payload, List<Ending> endings, List<StoredEntry> found, double now) {
        assertThat(endings).as("executions").hasSize(1);
        Ending ending = endings.get(0);
        Optional<JobDefinition> job = registry.find(payload.name());
        if (input.mustRun()) {
            assertThat(ending).isEqualTo(Ending.DONE);
        }
        if (ending == Ending.DONE) {
            assertThat(job).isPresent();
            assertThat(found).isEmpty();
            return Result.DONE;
        }
        reported++;
        if (ending == Ending.RETRIED) {
            return retried(payload, job, only(found), now);
        }
        died++;
        if (ending == Ending.DEAD) {
            hasCounted(payload, Payload.parse(only(found).bytes()));
            return buried(found);
        }
        assertThat(ending).isEqualTo(Ending.DISCARDED);
        assertThat(found).isEmpty();
        assertThat(mayBeDropped(payload, job)).as("may be dropped").isTrue();
        return Result.DROPPED;
    }

    private static Result retried(Payload payload, Optional<JobDefinition> job, StoredEntry found, double now) {
        assertThat(found.key()).isEqualTo("retry");
        assertThat(found.score()).isBetween(now + 5, Double.MAX_VALUE);
        assertThat(isFalse(payload, "retry", job)).isFalse();
        Payload stored = Payload.parse(found.bytes());
        tells(stored);
        hasCounted(payload, stored);
        isReadable(stored);
        return Result.RETRIED;
    }

    /** Checks for the members without which Ruby's web pages and workers fail. */
    private static void isReadable(Payload stored) {
        assertThat(stored.name()).isNotNull();
        assertThat(stored.hasArgsArray()).isTrue();
        assertThat(stored.jid()).isNotEmpty();
        assertThat(stored.get("retry")).isNotNull();
        Long count = stored.integer("retry_count");
        assertThat(count).isNotNull();
        List<String> times = count > 0
                ? List.of("created_at", "enqueued_at", "failed_at", "retried_at")
                : List.of("created_at", "enqueued_at", "failed_at");
        assertThat(times).allSatisfy(time -> assertThat(stored.get(time)).isInstanceOf(Number.class));
    }

    /** The job has one more failure than before, so no job is retried for ever. */
    private static void hasCounted(Payload before, Payload after) {
        Long failures = before.integer("retry_count");
        long least = failures == null ? 0 : Math.min(Math.max(failures, -1), Integer.MAX_VALUE - 1) + 1;
        assertThat(after.integer("retry_count")).as("retry_count").isGreaterThanOrEqualTo(least);
    }

    private static boolean mayBeDropped(Payload payload, Optional<JobDefinition> job) {
        return isFalse(payload, "retry", job) || isFalse(payload, "dead", Optional.empty());
    }

    private static boolean isFalse(Payload payload, String option, Optional<JobDefinition> job) {
        Object value = payload.get(option);
        if (value == null && job.isPresent()) {
            value = job.get().options().get(option);
        }
        return Boolean.FALSE.equals(value);
    }

    /** The failed checks so far. */
    List<String> failures() {
        return failures;
    }

    int count(Result result) {
        return counts.getOrDefault(result, 0);
    }

    /** The number of inputs that count as processed. */
    int executed() {
        return executed;
    }

    /** The number of those that failed. */
    int failed() {
        return executed - count(Result.DONE);
    }

    /** The number of inputs that must be reported to an error handler. */
    int reported() {
        return reported;
    }

    /** The number of inputs that must be reported to a death handler. */
    int died() {
        return died;
    }

    @Override
    public String toString() {
        return counts.toString();
    }
}
