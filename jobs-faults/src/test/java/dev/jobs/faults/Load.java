package dev.jobs.faults;

import dev.jobs.Payload;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * A load like that of an application: short and longer jobs in five queues, of which a tenth fails once, some are
 * scheduled, and some come from another client.
 */
final class Load {

    /** The queues, with weights. */
    static final String[] QUEUES = {"critical,5", "high,4", "default,3", "low,2", "bulk,1"};

    private static final int BATCH = 50;
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    private final Trial trial;
    private final Random random;
    private final int longest;

    /** @param longest the maximum duration of a job in milliseconds */
    Load(Trial trial, long seed, int longest) {
        this.trial = trial;
        this.random = new Random(seed);
        this.longest = longest;
    }

    /** Enqueues this number of jobs. */
    void enqueue(int count) {
        for (int left = count; left > 0; left -= BATCH) {
            batch(Math.min(left, BATCH));
        }
    }

    /**
     * Enqueues as many jobs as this number is above that of the waiting ones. Fewer wait afterwards if workers are
     * faster than this process: to go on until they wait could take forever. Always takes a moment, so that it may be
     * called in a loop.
     */
    void fill(int backlog) {
        enqueue((int) (backlog - trial.queued()));
        LockSupport.parkNanos(PAUSE_NANOS);
    }

    private void batch(int count) {
        int failing = count / 10;
        trial.producer.enqueueIn(Duration.ofMillis(500 + random.nextInt(2_000)), queue(), "Work", millis());
        foreign();
        trial.producer.enqueueAll(queue(), "FailOnce", arguments(failing));
        trial.producer.enqueueAll(queue(), "Work", arguments(Math.max(1, count - failing - 2)));
    }

    private List<List<Object>> arguments(int count) {
        List<List<Object>> arguments = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            arguments.add(List.of(millis()));
        }
        return arguments;
    }

    private int millis() {
        return 5 + random.nextInt(longest);
    }

    private String queue() {
        return QUEUES[random.nextInt(QUEUES.length)].replaceFirst(",.*", "");
    }

    private void foreign() {
        byte[] id = new byte[12];
        random.nextBytes(id);
        String jid = HexFormat.of().formatHex(id);
        byte[] payload = Payload.of(Map.of("class", "Work", "args", List.of(millis()), "jid", jid))
                .bytes();
        String queue = queue();
        trial.redis.lpush("queue:" + queue, new String(payload, StandardCharsets.UTF_8));
        trial.producer.accepted(jid);
    }
}
