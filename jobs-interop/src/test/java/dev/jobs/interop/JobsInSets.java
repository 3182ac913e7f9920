package dev.jobs.interop;

import dev.jobs.admin.JobRecord;
import dev.jobs.admin.JobSet;
import dev.jobs.admin.ListedJob;
import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;

/**
 * Jobs of both sides in the scheduled, the retry and the dead set, for the other side to inspect and act on: with
 * Sidekiq's data API, and with {@link dev.jobs.assembly.JobsAdmin}. Failed jobs wait for an hour, so nothing moves by
 * itself.
 */
final class JobsInSets implements AutoCloseable {

    /** Arguments with more than one textual form. */
    static final List<Object> DELICATE = Arrays.asList(
            "é😀 \u2028 </a> \u001f\u007f", 1.0, 10_000_000.0, Long.MAX_VALUE, Map.of("z", Arrays.asList(1L, null)));

    final InteropTestBed bed;
    final RubyApi api;
    final RubyWorker ruby;

    /** @param name of the folder for logs and journals */
    JobsInSets(String name) {
        bed = new InteropTestBed(name);
        api = bed.api();
        ruby = bed.rubyWorker("worker", "-q", "ruby", "-c", "2");
        bed.patientEngine("java");
    }

    /** Removes all jobs in sets and in the queue {@code nobody}. */
    void clear() {
        bed.redis.del("schedule", "retry", "dead", "queue:nobody");
    }

    static String key(JobSet set) {
        return set == JobSet.SCHEDULED ? "schedule" : set.name().toLowerCase(Locale.ROOT);
    }

    /** A Java job in this set: scheduled, or failed in a Java worker. */
    String ours(JobSet set) {
        String jid = Objects.requireNonNull(
                switch (set) {
                    case SCHEDULED ->
                        bed.elsewhere.queue("java").in(Duration.ofHours(1)).enqueue("Interop::Fail", DELICATE);
                    case RETRY -> bed.elsewhere.queue("java").enqueue("Interop::Fail", DELICATE);
                    case DEAD -> bed.elsewhere.queue("java").retry(0).enqueue("Interop::Fail", DELICATE);
                });
        bed.awaitIn(key(set), jid);
        return jid;
    }

    /** A Ruby job in this set: scheduled, or failed in a Ruby worker. */
    String theirs(JobSet set) {
        String jid =
                switch (set) {
                    case SCHEDULED -> push("at", System.currentTimeMillis() / 1_000.0 + 3_600);
                    case RETRY -> push("retry", true);
                    case DEAD -> push("retry", 0);
                };
        bed.awaitIn(key(set), jid);
        return jid;
    }

    /** Lets Ruby push a job that fails there, with one additional member. */
    String push(String member, Object value) {
        Map<String, Object> payload = new LinkedHashMap<>();
        payload.put(member, value);
        payload.put("class", "Interop::Fail");
        payload.put("queue", "ruby");
        payload.put("args", List.of(DELICATE));
        return (String) Objects.requireNonNull(api.call("push", payload));
    }

    JobRecord record(JobSet set, String jid) {
        return bed.admin.sets().jobs(set, job -> true, 0, 200, InteropTestBed.AMPLE).items().stream()
                .map(ListedJob::job)
                .filter(job -> jid.equals(job.jid()))
                .findFirst()
                .orElseThrow();
    }

    @Override
    public void close() {
        bed.close();
    }
}
