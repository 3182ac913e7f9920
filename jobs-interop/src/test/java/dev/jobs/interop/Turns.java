package dev.jobs.interop;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.Payload;
import dev.jobs.admin.JobSet;
import dev.jobs.assembly.JobEngine;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.Supplier;

/** Lets a job run on one side after the other: only one of them has a worker at a time. */
final class Turns {

    /** The side whose worker runs. */
    enum Side {
        JAVA,
        RUBY;

        Side other() {
            return this == JAVA ? RUBY : JAVA;
        }
    }

    /** Where no job waits. */
    private static final String IDLE = "idle";

    private final InteropTestBed bed;
    private final RubyApi api;
    private final Function<String, JobEngine> engine;

    private int runs;

    /** @param engine starts a Java worker for a queue */
    Turns(InteropTestBed bed, RubyApi api, Function<String, JobEngine> engine) {
        this.bed = bed;
        this.api = api;
        this.engine = engine;
    }

    /** Lets only a worker of this side run until the job has failed and is in the set. Returns the stored text. */
    String take(Side side, String queue, String jid, String set) {
        String before = bed.in("retry", jid).stream().findFirst().orElse("");
        return with(side, queue, () -> {
            InteropTestBed.await("another entry of " + jid + " in " + set, () -> bed.in(set, jid).stream()
                    .anyMatch(stored -> !stored.equals(before)));
            return bed.in(set, jid).get(0);
        });
    }

    /** Lets only a worker of this side run, which moves the due job to its queue and leaves it there. */
    String promote(Side side, String queue, String jid) {
        return with(side, IDLE, () -> {
            InteropTestBed.await(
                    side + " to move " + jid, () -> !bed.queued(queue, jid).isEmpty());
            return bed.queued(queue, jid).get(0);
        });
    }

    private <T> T with(Side side, String queue, Supplier<T> awaited) {
        if (side == Side.JAVA) {
            JobEngine running = engine.apply(queue);
            try {
                return awaited.get();
            } finally {
                running.stop();
            }
        }
        try (RubyWorker worker = bed.rubyWorker("worker-" + ++runs, "-q", queue, "-c", "1")) {
            T found = awaited.get();
            worker.stop();
            return found;
        }
    }

    /** This side makes the job due that is in the retry set. */
    void makeDue(Side side, String jid) {
        String stored = bed.in("retry", jid).get(0);
        if (side == Side.JAVA) {
            assertThat(bed.admin.sets().reschedule(JobSet.RETRY, InteropTestBed.bytes(stored), Instant.now()))
                    .isTrue();
        } else {
            api.call("reschedule", "retry", jid, System.currentTimeMillis() / 1_000.0);
        }
        assertThat(bed.in("retry", jid)).containsExactly(stored);
    }

    /**
     * Compares two texts of a job, byte for byte: the later one may have other values only for some members, and further
     * ones of these at its end.
     */
    static void assertSameBut(List<String> changing, String before, String after) {
        List<String> names = new ArrayList<>(InteropTestBed.payload(before).names());
        assertThat(shape(before, List.of())).as("nothing between members").isEqualTo(before);
        assertThat(shape(after, List.of())).as("nothing between members").isEqualTo(after);
        List<String> later = List.copyOf(InteropTestBed.payload(after).names());
        assertThat(later).startsWith(names.toArray(String[]::new));
        assertThat(changing).containsAll(later.subList(names.size(), later.size()));
        String further = shape(after, changing);
        String same = shape(before, changing);
        assertThat(further).startsWith(same.substring(0, same.length() - 1));
    }

    /** The text without the values of some members. */
    private static String shape(String text, List<String> changing) {
        Payload payload = InteropTestBed.payload(text);
        StringBuilder shape = new StringBuilder("{");
        for (String name : payload.names()) {
            String member = new String(
                    Objects.requireNonNull(Payload.of(Map.of(name, 0)).bytes()), StandardCharsets.UTF_8);
            shape.append(shape.length() > 1 ? "," : "").append(member, 1, member.length() - 2);
            shape.append(changing.contains(name) ? "" : raw(payload, name));
        }
        return shape.append('}').toString();
    }

    private static String raw(Payload payload, String member) {
        return new String(Objects.requireNonNull(payload.raw(member)), StandardCharsets.UTF_8);
    }
}
