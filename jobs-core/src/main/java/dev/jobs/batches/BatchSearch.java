package dev.jobs.batches;

import dev.jobs.limits.LimitKeys;
import dev.jobs.limits.ParkedJobs;
import dev.jobs.redis.Bytes;
import dev.jobs.redis.KeyScan;
import dev.jobs.redis.RedisConnection;
import dev.jobs.redis.RedisKeys;
import dev.jobs.redis.Replies;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HexFormat;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * One search for the jobs of a batch, in small steps through every place where jobs can be. The places come in the
 * order in which a job passes through them: staged, scheduled or to be retried, parked at a limit, queued, held by a
 * process. A job that only moves in this direction is therefore found, whenever it moves. Confined to one thread.
 */
final class BatchSearch {

    /** Where a job was found. */
    enum Place {
        /** Where it waits, or a process has it. */
        ALIVE,
        RETRY,
        DEAD
    }

    /** Receives what is found; a job may be found more than once. */
    @FunctionalInterface
    interface Finder {
        void found(long index, Place place);
    }

    /** How often the reading of one list begins again, if jobs are removed from its middle again and again. */
    private static final int MOST_RESTARTS = 100;

    private static final int NAMES = 1_000;

    private record Part(byte[] key, Place place) {}

    private final RedisConnection connection;
    private final RedisKeys keys;
    private final BatchKeys names;
    private final String batch;
    private final int entries;
    private final Finder finder;

    /** Places that follow one after the other; each group is listed when its turn has come, since new ones may come. */
    private final Deque<Supplier<List<Part>>> phases = new ArrayDeque<>();

    private final Deque<Part> parts = new ArrayDeque<>();
    private String cursor = "";
    private byte[] last = new byte[0];
    private int restarts;
    private boolean complete = true;

    /**
     * @param stagedQueues the queues for which the batch may have staged jobs
     * @param thorough whether to search the names of all keys as well, for queues and processes that are registered
     *     nowhere
     * @param entries how many one step reads at most
     */
    BatchSearch(
            RedisConnection connection,
            RedisKeys keys,
            String batch,
            List<String> stagedQueues,
            boolean thorough,
            int entries,
            Finder finder) {
        this.connection = connection;
        this.keys = keys;
        this.names = new BatchKeys(keys);
        this.batch = batch;
        this.entries = entries;
        this.finder = finder;
        phases.add(() -> stagedAndSets(stagedQueues));
        phases.add(() -> parked(thorough));
        phases.add(() -> queues(thorough));
        phases.add(() -> alive(Replies.allMembers(connection, keys.cleared()).stream()
                .map(keys::cleared)
                .toList()));
        phases.add(() -> held(thorough));
        phases.add(() -> alive(Replies.allMembers(connection, keys.processes()).stream()
                .map(keys::work)
                .toList()));
    }

    private List<Part> stagedAndSets(List<String> stagedQueues) {
        List<Part> all = new ArrayList<>();
        stagedQueues.forEach(queue -> all.add(new Part(names.staged(batch, queue), Place.ALIVE)));
        all.add(new Part(names.stagedDue(batch), Place.ALIVE));
        all.add(new Part(keys.dead(), Place.DEAD));
        all.add(new Part(keys.schedule(), Place.ALIVE));
        all.add(new Part(keys.retry(), Place.RETRY));
        return all;
    }

    /** Before the queues, to which they go on; a job that is parked again has an effect on its batch. */
    private List<Part> parked(boolean thorough) {
        Set<String> limits = new LinkedHashSet<>(new ParkedJobs(connection, keys).names());
        if (thorough) {
            limits.addAll(namesAfter(new LimitKeys(keys).parked("")));
        }
        return alive(limits.stream().map(new LimitKeys(keys)::parked).toList());
    }

    private List<Part> queues(boolean thorough) {
        Set<String> names = new LinkedHashSet<>(Replies.allMembers(connection, keys.queues()));
        if (thorough) {
            names.addAll(namesAfter(keys.queue("")));
            names.addAll(namesAfter(keys.order("")));
        }
        return alive(names.stream()
                .flatMap(name -> Stream.of(keys.queue(name), keys.order(name)))
                .toList());
    }

    private List<Part> held(boolean thorough) {
        Set<String> incarnations =
                new LinkedHashSet<>(connection.run(commands -> commands.zrange(keys.beats(), 0, -1)).stream()
                        .map(Bytes::text)
                        .toList());
        if (thorough) {
            incarnations.addAll(namesAfter(keys.inFlight("")));
        }
        return alive(incarnations.stream().map(keys::inFlight).toList());
    }

    private static List<Part> alive(List<byte[]> all) {
        return all.stream().map(key -> new Part(key, Place.ALIVE)).toList();
    }

    /** What follows a prefix in the names of the keys that have it. */
    private List<String> namesAfter(byte[] prefix) {
        KeyScan scan = new KeyScan(connection, Bytes.text(prefix), NAMES);
        List<String> names = new ArrayList<>();
        while (!scan.isFinished()) {
            names.addAll(scan.next());
        }
        return names;
    }

    /** Reads some entries, or lists the next places. Returns false if there was nothing left to do. */
    boolean step() {
        Part part = parts.peek();
        if (part == null) {
            Supplier<List<Part>> next = phases.poll();
            if (next != null) {
                parts.addAll(next.get());
            }
            return next != null;
        }
        List<Object> answer = connection.call(BatchScripts.SEARCH, new byte[][] {part.key()}, new byte[][] {
            Bytes.of(batch), Bytes.of(entries), Bytes.of(connection.bounds().bytes()), Bytes.of(cursor), last
        });
        for (Object index : Bytes.list(answer.get(2))) {
            finder.found(HexFormat.fromHexDigitsToLong(Bytes.text(index)), part.place());
        }
        goOn(Bytes.text(answer.get(0)), (byte[]) answer.get(1));
        return true;
    }

    private void goOn(String next, byte[] read) {
        boolean again = next.equals("again");
        if (again && ++restarts > MOST_RESTARTS) {
            complete = false;
        }
        if (next.isEmpty() || again && !complete) {
            parts.remove();
            restarts = 0;
        }
        cursor = again ? "" : next;
        last = read;
    }

    /** Whether it has read every place; false if a list changed so much that it gave up. */
    boolean isComplete() {
        return complete;
    }
}
