package dev.jobs.trash;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import dev.jobs.Internal;
import dev.jobs.admin.Page;
import dev.jobs.admin.RestorableJobs;
import dev.jobs.limits.LimitKeys;
import dev.jobs.limits.LimitStates;
import dev.jobs.lists.ClearedQueues;
import dev.jobs.lists.EntryReader;
import dev.jobs.lists.EntryReader.Order;
import dev.jobs.lists.JobSets;
import dev.jobs.lists.JobSets.Entry;
import dev.jobs.lists.QueuePlaces;
import dev.jobs.redis.Bytes;
import dev.jobs.redis.LuaScript;
import dev.jobs.redis.RedisConnection;
import dev.jobs.redis.RedisKeys;
import dev.jobs.redis.Replies;
import dev.jobs.store.Effect;
import dev.jobs.store.EffectEncoder;
import dev.jobs.store.EffectSource;
import dev.jobs.store.StoreScripts;
import dev.jobs.store.StoredSet;
import io.lettuce.core.Range;
import io.lettuce.core.Range.Boundary;
import io.lettuce.core.ScriptOutputType;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Deleted jobs, which can be restored for a limited time. If there are too many, the oldest are removed. Thread-safe.
 */
@Internal
public final class JobTrash implements RestorableJobs {

    private static final LuaScript RESTORE =
            LuaScript.of(JobTrash.class, "restore", StoreScripts.PLACES, StoreScripts.EFFECTS);
    private static final LuaScript TRASH =
            LuaScript.of(JobTrash.class, "trash", StoreScripts.PLACES, StoreScripts.EFFECTS);

    /** The bounds of the trash. */
    public record Bounds(int jobs, long bytes, Duration retention) {

        /** 10,000 jobs, 64 MB, one day. */
        public static Bounds standard() {
            return new Bounds(10_000, 64L * 1_024 * 1_024, Duration.ofDays(1));
        }
    }

    /** What happened to a job that was to be deleted. */
    public enum Fate {
        /** It is in the trash. */
        KEPT,
        /** It is larger than the whole trash and was removed for good. */
        REMOVED,
        /** It was no longer there. */
        GONE,
        /** The key of the trash holds another type, so the job stays in its place. */
        REFUSED
    }

    /**
     * The result of adding jobs.
     *
     * @param fates one for each job, in the same order
     * @param lost number of jobs of the same batch that were trimmed from the trash
     */
    public record Added(List<Fate> fates, long lost) {

        /** By how many jobs of the batch the trash has grown; negative if more were trimmed than added. */
        public long kept() {
            return Collections.frequency(fates, Fate.KEPT) - lost;
        }
    }

    /**
     * A job in the trash.
     *
     * @param entry its exact entry
     * @param deleted epoch seconds
     * @param batch the deletion that it belongs to
     * @param set the set it was in, or null if it was in a queue
     * @param ordered whether it was in the sorted set of an ordered queue
     * @param queue the queue it was in, or empty
     * @param score its score in the set as text, or its index in the queue
     * @param before the job of the queue that was to be taken before it; empty if there was none or it is unknown
     */
    public record Trashed(
            byte[] entry,
            double deleted,
            String batch,
            @Nullable StoredSet set,
            boolean ordered,
            String queue,
            String score,
            byte[] before,
            byte[] stored) {}

    private static final byte[] NOTHING = {};

    /** The place of a job that was in the sorted set of an ordered queue. */
    private static final String IN_ORDER = "ORDER";

    /** That of a job that was parked at a limit. */
    private static final String PARKED = "PARKED";

    /** Maximum bytes of an entry without the job, the name of its queue and the neighbour. */
    private static final int MOST_HEAD = 150;

    /** Larger neighbours are not stored. */
    private static final int MOST_NEIGHBOUR = 16 * 1_024;

    private final RedisConnection connection;
    private final RedisKeys keys;
    private final Bounds bounds;
    private final EffectSource effects;
    private final EntryReader reading;

    /** @param effects supplies the effects of jobs that are {@code deleted} or put back, as moved ones are */
    public JobTrash(RedisConnection connection, RedisKeys keys, Bounds bounds, EffectSource effects) {
        this.connection = connection;
        this.reading = new EntryReader(connection);
        this.keys = keys;
        this.bounds = bounds;
        this.effects = effects;
    }

    @Override
    public void checkName(String batch) {
        Trash.check(batch);
    }

    @Override
    public Deleted delete(StoredSet set, List<byte[]> jobs, String batch) {
        Added added = add(set, jobs, batch);
        return new Deleted(added.fates().stream().map(JobTrash::result).toList(), added.kept());
    }

    private byte[] key() {
        return new TrashKeys(keys).trash();
    }

    private byte[] bytesKey() {
        return new TrashKeys(keys).bytes();
    }

    private static int result(Fate fate) {
        return switch (fate) {
            case KEPT, REMOVED -> 1;
            case GONE -> 0;
            case REFUSED -> -1;
        };
    }

    /**
     * Moves jobs of a set to the trash.
     *
     * @param batch letters, digits and dashes
     */
    public Added add(StoredSet set, List<byte[]> jobs, String batch) {
        List<byte[]> heads =
                jobs.stream().map(job -> head(batch, set.name(), "", NOTHING)).toList();
        return add(set.key(keys), jobs, heads, true);
    }

    /**
     * Moves jobs of a queue to the trash.
     *
     * @param before for each job the one that is to be taken before it, empty if there is none
     * @param fromNewest whether to search the queue from its newest job or from its oldest
     */
    public Added add(String queue, List<byte[]> jobs, List<byte[]> before, String batch, boolean fromNewest) {
        List<byte[]> heads = new ArrayList<>();
        for (byte[] each : before) {
            heads.add(head(batch, "QUEUE", queue, each.length <= MOST_NEIGHBOUR ? each : NOTHING));
        }
        return addInOrder(queue, jobs, batch, add(keys.queue(queue), jobs, heads, fromNewest));
    }

    /** Adds those jobs of a queue that were not in its list. */
    private Added addInOrder(String queue, List<byte[]> jobs, String batch, Added listed) {
        List<Fate> fates = new ArrayList<>(listed.fates());
        List<Integer> rest = QueuePlaces.missing(fates, Fate.GONE);
        byte[] head = head(batch, IN_ORDER, queue, NOTHING);
        Added added = add(
                keys.order(queue), rest.stream().map(jobs::get).toList(), Collections.nCopies(rest.size(), head), true);
        for (int i = 0; i < rest.size(); i++) {
            fates.set(rest.get(i), added.fates().get(i));
        }
        return new Added(fates, listed.lost() + added.lost());
    }

    /**
     * Moves jobs that are parked at a limit to the trash; they are restored to their queues. The entry keeps the whole
     * member, of which the job is the end.
     */
    public Added add(String limit, List<LimitStates.Waiting> jobs, String batch) {
        List<Deletion> deletions = jobs.stream()
                .map(job -> new Deletion(
                        job.member(), head(batch, PARKED, job.queue(), NOTHING), effects.of(job.payload())))
                .toList();
        return add(new LimitKeys(keys).parked(limit), deletions, true);
    }

    /** A job to delete, with the head of its entry. */
    private record Deletion(byte[] stored, byte[] head, List<Effect> effects) {

        int size() {
            return stored.length + Effect.size(effects);
        }
    }

    private Added add(byte[] source, List<byte[]> jobs, List<byte[]> heads, boolean fromNewest) {
        List<Deletion> deletions = new ArrayList<>();
        for (int i = 0; i < jobs.size(); i++) {
            deletions.add(new Deletion(jobs.get(i), heads.get(i), effects.of(jobs.get(i))));
        }
        return add(source, deletions, fromNewest);
    }

    private Added add(byte[] source, List<Deletion> deletions, boolean fromNewest) {
        List<Fate> fates = new ArrayList<>();
        long lost = 0;
        for (List<Deletion> together : connection.bounds().cut(deletions, Deletion::size)) {
            List<Object> results = addTogether(source, together, fromNewest);
            lost += Bytes.number(results.get(0));
            results.subList(1, results.size()).forEach(result -> fates.add(fate(result)));
        }
        return new Added(fates, lost);
    }

    private List<Object> addTogether(byte[] source, List<Deletion> deletions, boolean fromNewest) {
        List<byte[]> arguments = new ArrayList<>();
        arguments.add(Bytes.of(bounds.jobs()));
        arguments.add(Bytes.of(bounds.bytes()));
        arguments.add(Bytes.of(bounds.retention().toSeconds()));
        arguments.add(Bytes.of(fromNewest ? 1 : -1));
        arguments.add(Bytes.of(deletions.size()));
        EffectEncoder happening = new EffectEncoder(keys);
        int number = 0;
        for (Deletion deletion : deletions) {
            arguments.add(deletion.stored());
            arguments.add(deletion.head());
            number++;
            happening.add(number, deletion.effects());
        }
        List<byte[]> all = new ArrayList<>(List.of(source, key(), bytesKey()));
        happening.appendTo(all, arguments);
        return connection.call(TRASH, all.toArray(byte[][]::new), arguments.toArray(byte[][]::new));
    }

    private static Fate fate(Object result) {
        return switch ((int) Bytes.number(result)) {
            case 2 -> Fate.KEPT;
            case 1 -> Fate.REMOVED;
            case 0 -> Fate.GONE;
            default -> Fate.REFUSED;
        };
    }

    /** Whether an empty trash could hold all these jobs of a queue. */
    boolean hasRoomFor(String queue, long jobs, long bytes) {
        return jobs <= bounds.jobs() && bytes + jobs * (MOST_HEAD + Bytes.of(queue).length) <= bounds.bytes();
    }

    /**
     * {@code BATCH PLACE QUEUE-BYTES NEIGHBOUR-BYTES}, a space, the queue, the neighbour; the script puts the score
     * before it.
     */
    private static byte[] head(String batch, String place, String queue, byte[] before) {
        byte[] name = Bytes.of(queue);
        byte[] front = Bytes.of(batch + " " + place + " " + name.length + " " + before.length + " ");
        return ByteBuffer.allocate(front.length + name.length + before.length)
                .put(front)
                .put(name)
                .put(before)
                .array();
    }

    /** The number of entries that have not expired. */
    public long size(Instant now) {
        return Replies.unlessWrongType(() -> connection.run(commands -> commands.zcount(key(), young(now))))
                .orElse(0L);
    }

    /** Older entries are removed when a job is added, or when none was added for the retention time. */
    private Range<Double> young(Instant now) {
        return Range.from(Boundary.excluding((double) oldest(now)), Boundary.<Double>unbounded());
    }

    private long oldest(Instant now) {
        return now.minus(bounds.retention()).getEpochSecond();
    }

    /**
     * A number of entries that have not expired, newest first, from an index, which is 0 for the newest. Invalid
     * entries are left out.
     */
    public Page<Trashed> newest(Instant now, long from, int count) {
        long total = size(now);
        EntryReader.Part part = Replies.unlessWrongType(
                        () -> reading.page(key(), Order.FALLING, from, count, "+inf", "(" + oldest(now)))
                .orElse(EntryReader.Part.NOTHING);
        long next = from + (part.cut() ? part.flat().size() / 2 : count);
        return new Page<>(trashed(part.flat()), from, next < total ? next : -1, total, part.cut());
    }

    /**
     * The same for entries to restore, as many as one call may read. Empty only after the last entry.
     *
     * @param latest the time of their deletion or later, as in {@link Trashed#deleted}
     * @param from the index among those that were deleted then or before
     */
    public List<Trashed> some(Instant now, double latest, long from, int count) {
        String most = latest == Double.POSITIVE_INFINITY ? "+inf" : Double.toString(latest);
        long at = from;
        while (true) {
            long skip = at;
            Optional<EntryReader.Part> part = Replies.unlessWrongType(() -> reading.some(
                    key(), Order.FALLING, skip, count, connection.bounds().bytesToMove(), most, "(" + oldest(now)));
            List<Trashed> trashed = part.map(each -> trashed(each.flat())).orElse(List.of());
            if (!trashed.isEmpty() || part.map(each -> each.flat().isEmpty()).orElse(true)) {
                return trashed;
            }
            at += part.get().flat().size() / 2;
        }
    }

    private static List<Trashed> trashed(List<Object> flat) {
        List<Trashed> trashed = new ArrayList<>();
        for (Entry entry : JobSets.entries(flat)) {
            Trashed read = read(entry);
            if (read != null) {
                trashed.add(read);
            }
        }
        return trashed;
    }

    private static @Nullable Trashed read(Entry entry) {
        byte[] bytes = entry.payload();
        int[] ends = new int[5];
        int at = 0;
        for (int i = 0; i < ends.length; i++) {
            while (at < bytes.length && bytes[at] != ' ') {
                at++;
            }
            ends[i] = at++;
        }
        try {
            String[] head = new String(bytes, 0, Math.min(at, bytes.length), ISO_8859_1).split(" ");
            int queueEnd = at + Integer.parseInt(head[3]);
            int beforeEnd = queueEnd + Integer.parseInt(head[4]);
            if (queueEnd < at || beforeEnd < queueEnd || beforeEnd > bytes.length) {
                return null; // an overflow makes the sum smaller than its parts
            }
            boolean ordered = head[2].equals(IN_ORDER);
            boolean parked = head[2].equals(PARKED);
            boolean queued = ordered || parked || head[2].equals("QUEUE");
            byte[] stored = Arrays.copyOfRange(bytes, beforeEnd, bytes.length);
            return new Trashed(
                    bytes,
                    entry.score(),
                    head[1],
                    queued ? null : StoredSet.valueOf(head[2]),
                    ordered,
                    new String(Arrays.copyOfRange(bytes, at, queueEnd), UTF_8),
                    head[0],
                    Arrays.copyOfRange(bytes, queueEnd, beforeEnd),
                    parked ? LimitStates.waiting(stored).payload() : stored);
        } catch (IllegalArgumentException | IndexOutOfBoundsException e) {
            return null; // only we write there, but other clients can
        }
    }

    /**
     * Restores jobs to where they were. All must come from the same queue or set.
     *
     * @return for each job 1 if it was restored, 0 if it was no longer in the trash, -1 if the key of its place has the
     *     wrong type
     */
    public List<Integer> restore(List<Trashed> jobs) {
        List<Restoration> restorations = jobs.stream()
                .map(job -> new Restoration(job, effects.of(job.stored())))
                .toList();
        List<Integer> results = new ArrayList<>();
        for (List<Restoration> together : connection.bounds().cut(restorations, Restoration::size)) {
            results.addAll(restoreTogether(together));
        }
        return results;
    }

    private record Restoration(Trashed job, List<Effect> effects) {

        int size() {
            return job.entry().length + job.stored().length + job.before().length + Effect.size(effects);
        }
    }

    private List<Integer> restoreTogether(List<Restoration> restorations) {
        Trashed first = restorations.get(0).job();
        StoredSet set = first.set();
        List<byte[]> arguments = new ArrayList<>();
        arguments.add(Bytes.of(first.queue()));
        arguments.add(Bytes.of(restorations.size()));
        boolean ordered = first.ordered() && keys.sorted(first.queue()) != null;
        arguments.add(Bytes.of(ordered ? "order" : set == null ? "queue" : set == StoredSet.DEAD ? "dead" : "set"));
        List<byte[]> all = new ArrayList<>(List.of(key(), bytesKey()));
        byte[] queue = ordered ? keys.order(first.queue()) : keys.queue(first.queue());
        all.addAll(set != null ? List.of(set.key(keys)) : List.of(queue, keys.queues()));
        EffectEncoder happening = new EffectEncoder(keys);
        int number = 0;
        for (Restoration restoration : restorations) {
            Trashed job = restoration.job();
            arguments.addAll(List.of(job.entry(), Bytes.of(job.score()), job.stored(), job.before()));
            number++;
            happening.add(number, restoration.effects());
        }
        happening.appendTo(all, arguments);
        return connection.call(RESTORE, all.toArray(byte[][]::new), arguments.toArray(byte[][]::new)).stream()
                .map(result -> (int) Bytes.number(result))
                .toList();
    }

    /** Removes all jobs in the trash for good. Returns their number. */
    public long empty() {
        return connection.<Long>callForOne(
                ClearedQueues.CLEAR,
                ScriptOutputType.INTEGER,
                new byte[][] {keys.queues(), key(), bytesKey()},
                new byte[][] {Bytes.of(""), Bytes.of("deleted")});
    }
}
