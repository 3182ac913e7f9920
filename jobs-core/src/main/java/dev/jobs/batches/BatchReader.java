package dev.jobs.batches;

import dev.jobs.Internal;
import dev.jobs.batches.BatchJob.Progress;
import dev.jobs.codec.JsonException;
import dev.jobs.codec.JsonText;
import dev.jobs.ends.PendingJobs;
import dev.jobs.redis.Bytes;
import dev.jobs.redis.CallBounds;
import dev.jobs.redis.RedisConnection;
import dev.jobs.redis.RedisKeys;
import dev.jobs.redis.Replies;
import io.lettuce.core.ScriptOutputType;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Reads batches and their jobs. Thread-safe. */
@Internal
public final class BatchReader implements PendingJobs {

    /** How many states one call reads. */
    static final int SPAN = 65_536;

    /** How many states a page looks through at most. */
    private static final int MOST_LOOKS = 2_000_000;

    /** How many jobs' texts one call reads at most. */
    private static final int TEXTS = 200;

    /** What there is of each: messages of ended executions, those of a running one, progress, result. */
    private static final int KINDS = 4;

    /** How many batches one call looks at that may have expired. */
    private static final int EXPIRED = 1_000;

    /** What the stored bytes of every job in a batch contain. */
    public static final String JOB_TEXT = "\"" + BatchEffects.MEMBER + "\":";

    /** The definition of a batch that is not there. */
    public static final BatchDefinition NO_DEFINITION = BatchDefinition.of(Map.of());

    private final RedisConnection connection;
    private final BatchKeys names;

    public BatchReader(RedisConnection connection, RedisKeys keys) {
        this.connection = connection;
        this.names = new BatchKeys(keys);
    }

    /** A batch and its definition, at one moment for the counters. */
    public record Found(BatchStatus status, BatchDefinition definition) {}

    /** The batch with that id. */
    public Optional<Found> find(String id) {
        return BatchJobId.isBatch(id)
                ? Optional.ofNullable(some(List.of(id), false).found().get(id))
                : Optional.empty();
    }

    /** The state of the batch with that id. */
    Optional<BatchStatus> status(String id) {
        return BatchJobId.isBatch(id)
                ? Optional.ofNullable(statuses(List.of(id)).get(id))
                : Optional.empty();
    }

    /**
     * Batches that one call read.
     *
     * @param found as far as there are any
     * @param left the ids of those that are still to be read
     */
    record Some(Map<String, Found> found, List<String> left) {}

    /**
     * The first of the batches with these ids, as many as one call carries: callbacks may be large, so don't keep many
     * of them.
     */
    public Some some(List<String> ids) {
        return some(ids, false);
    }

    private Some some(List<String> ids, boolean brief) {
        List<String> asked = ids.subList(0, Math.min(ids.size(), CallBounds.JOBS));
        List<Object> answer = connection.call(
                BatchScripts.READ,
                asked.stream()
                        .flatMap(id -> Stream.of(names.batch(id), names.definition(id)))
                        .toArray(byte[][]::new),
                new byte[][] {Bytes.of(connection.bounds().bytes()), Bytes.of(brief ? 1 : 0)});
        Map<String, Found> found = new HashMap<>();
        for (int i = 0; i < answer.size(); i += 2) {
            String id = asked.get(i / 2);
            Map<String, byte[]> counters = byName(Bytes.list(answer.get(i)));
            if (counters.containsKey("total")) {
                BatchDefinition definition = BatchDefinition.of(byName(Bytes.list(answer.get(i + 1))));
                found.put(id, new Found(status(id, new Counters(counters), definition), definition));
            }
        }
        return new Some(found, ids.subList(answer.size() / 2, ids.size()));
    }

    /** The states of the batches with these ids, as far as there are any. */
    Map<String, BatchStatus> statuses(Collection<String> ids) {
        Map<String, BatchStatus> statuses = new HashMap<>();
        for (List<String> left = List.copyOf(ids); !left.isEmpty(); ) {
            Some some = some(left, true);
            some.found().forEach((id, found) -> statuses.put(id, found.status()));
            left = some.left();
        }
        return statuses;
    }

    private static Map<String, byte[]> byName(List<Object> flat) {
        Map<String, byte[]> fields = new HashMap<>();
        for (int i = 0; i < flat.size(); i += 2) {
            fields.put(Bytes.text(flat.get(i)), (byte[]) flat.get(i + 1));
        }
        return fields;
    }

    /** The hash of counters; other clients could write there as well. */
    private record Counters(Map<String, byte[]> fields) {

        long number(String field) {
            byte[] value = fields.get(field);
            try {
                return value == null ? 0 : Long.parseLong(Bytes.text(value));
            } catch (NumberFormatException e) {
                return 0;
            }
        }

        @Nullable Instant time(String field) {
            return fields.containsKey(field) ? Instant.ofEpochMilli(number(field)) : null;
        }
    }

    private static BatchStatus status(String id, Counters counters, BatchDefinition definition) {
        Map<BatchEvent, Instant> events = new EnumMap<>(BatchEvent.class);
        Map<BatchEvent, BatchJobState> callbacks = new EnumMap<>(BatchEvent.class);
        for (BatchEvent event : BatchEvent.values()) {
            Instant time = counters.time(event.name().toLowerCase(Locale.ROOT));
            if (time != null) {
                events.put(event, time);
            }
            byte[] state = counters.fields().get("c" + (event.ordinal() + 1));
            if (state != null && state.length == 1) {
                BatchJobState.of((char) state[0]).ifPresent(known -> callbacks.put(event, known));
            }
        }
        Instant created = Instant.ofEpochMilli(counters.number("created"));
        return new BatchStatus(
                id,
                definition.name(),
                definition.description(),
                definition.tags(),
                definition.owner(),
                orNull(definition.parent()),
                orNull(definition.next()),
                counters.number("waits") > 0,
                counters.number("open") > 0,
                counters.number("total"),
                counters.number("fresh"),
                counters.number("again"),
                counters.number("ok"),
                counters.number("failed"),
                counters.number("dead"),
                counters.number("skipped"),
                counters.number("lost"),
                counters.number("children"),
                counters.number("children_open"),
                created,
                Instant.ofEpochMilli(Math.max(counters.number("changed"), counters.number("created"))),
                events,
                counters.time("cancelled"),
                callbacks);
    }

    private static @Nullable String orNull(String text) {
        return text.isEmpty() ? null : text;
    }

    /** The letters of the states of some jobs, from an index; 0 where there is none. Shorter at the end. */
    byte[] states(String id, long from, int count) {
        byte[] states = storedStates(id, from, count);
        for (int i = 0; i < states.length; i++) {
            states[i] = (byte) Character.toLowerCase(states[i]);
        }
        return states;
    }

    /** Those of batches that wait or run, as far as their batches know. */
    @Override
    public Set<String> pending(List<String> jids) {
        List<BatchJobId> jobs = new ArrayList<>();
        for (String jid : jids) {
            BatchJobId job = BatchJobId.parse(jid);
            if (job != null && !job.isCallback()) {
                jobs.add(job);
            }
        }
        List<byte[]> states = connection.run(commands -> Replies.all(jobs.stream()
                .map(job -> Replies.unlessWrongType(
                        commands.getrange(names.states(job.batch(), job.isGrown()), job.offset(), job.offset()),
                        new byte[0]))
                .toList()));
        Set<String> pending = new HashSet<>();
        for (int i = 0; i < jobs.size(); i++) {
            byte[] state = states.get(i);
            if (state.length == 1
                    && BatchJobState.of((char) state[0])
                            .filter(BatchJobState::isPending)
                            .isPresent()) {
                pending.add(jobs.get(i).jid());
            }
        }
        return pending;
    }

    /** The same as stored: those of jobs that an audit has not found are capital letters. */
    byte[] storedStates(String id, long from, int count) {
        boolean grown = from >= BatchJobId.FIRST_GROWN;
        long at = grown ? from - BatchJobId.FIRST_GROWN : from;
        byte[] states = connection.run(commands -> commands.getrange(names.states(id, grown), at, at + count - 1));
        return states == null ? new byte[0] : states;
    }

    /** One more than the largest index in use, of jobs given to the batch or counted from the first grown one. */
    long length(String id, boolean grown) {
        return Replies.unlessWrongType(() -> connection.run(commands -> commands.strlen(names.states(id, grown))))
                .orElse(0L);
    }

    /** Whether its keys expire: it is not committed and none of its jobs runs before that, or it is over. */
    boolean expires(String id) {
        return connection.run(commands -> commands.pttl(names.batch(id))) > 0;
    }

    /**
     * Jobs after an index, in these states; see {@link dev.jobs.batches.Batches#jobs}. The page ends early, after about as many
     * bytes of messages and results as one call may carry.
     */
    public BatchPage jobs(String id, Set<BatchJobState> wanted, long after, int size) {
        boolean[] letters = new boolean[1 << Byte.SIZE]; // a batch may have millions of jobs, few of them wanted
        (wanted.isEmpty() ? EnumSet.allOf(BatchJobState.class) : wanted)
                .forEach(state -> letters[state.letter()] = true);
        Map<Long, BatchJobState> found = new LinkedHashMap<>();
        long at = after + 1;
        int looked = 0;
        boolean ended = false;
        while (found.size() < size && looked < MOST_LOOKS && !ended) {
            byte[] states = states(id, at, SPAN);
            for (int i = 0; i < states.length && found.size() < size; i++) {
                if (letters[states[i] & 0xff]) {
                    long index = at + i;
                    BatchJobState.of((char) states[i]).ifPresent(state -> found.put(index, state));
                }
                if (found.size() == size) {
                    at += i + 1 - states.length;
                }
            }
            at += states.length;
            looked += states.length;
            if (states.length < SPAN && found.size() < size) {
                ended = at >= BatchJobId.FIRST_GROWN;
                at = Math.max(at, BatchJobId.FIRST_GROWN);
            }
        }
        List<BatchJob> jobs = withTexts(id, found);
        return jobs.size() < found.size()
                ? new BatchPage(jobs, jobs.get(jobs.size() - 1).index())
                : new BatchPage(jobs, ended ? -1 : at - 1);
    }

    /** The first of these jobs, as many as have texts of about as many bytes as one call may carry. */
    private List<BatchJob> withTexts(String id, Map<Long, BatchJobState> found) {
        List<Long> left = List.copyOf(found.keySet());
        List<BatchJob> jobs = new ArrayList<>(left.size());
        int room = connection.bounds().bytes();
        while (!left.isEmpty() && room > 0) {
            List<Long> asked = left.subList(0, Math.min(left.size(), TEXTS));
            List<byte[]> arguments = new ArrayList<>(List.of(Bytes.of(room)));
            asked.forEach(index -> arguments.add(Bytes.of(new BatchJobId(id, index).position())));
            List<Object> texts = connection.call(
                    BatchScripts.TEXTS, new byte[][] {names.texts(id)}, arguments.toArray(byte[][]::new));
            for (Object text : texts) {
                room -= ((byte[]) text).length;
            }
            int read = texts.size() / KINDS;
            for (int i = 0; i < read; i++) {
                long index = asked.get(i);
                List<Object> own = texts.subList(KINDS * i, KINDS * (i + 1));
                jobs.add(new BatchJob(
                        new BatchJobId(id, index).jid(),
                        index,
                        Objects.requireNonNull(found.get(index)),
                        messages(value(own.get(0)), value(own.get(1))),
                        progress(value(own.get(2))),
                        text(value(own.get(3)))));
            }
            if (read < asked.size()) {
                break;
            }
            left = left.subList(read, left.size());
        }
        return jobs;
    }

    private static byte @Nullable [] value(Object text) {
        return ((byte[]) text).length == 0 ? null : (byte[]) text;
    }

    private static List<String> messages(byte @Nullable [] before, byte @Nullable [] now) {
        List<String> messages = new ArrayList<>();
        for (byte @Nullable [] some : Arrays.asList(before, now)) {
            if (some == null) {
                continue;
            }
            byte[] json = ("[" + new String(some, StandardCharsets.UTF_8) + "]").getBytes(StandardCharsets.UTF_8);
            try {
                if (JsonText.decode(json) instanceof List<?> texts) {
                    texts.forEach(text -> messages.add(String.valueOf(text)));
                }
            } catch (JsonException e) {
                messages.add(new String(some, StandardCharsets.UTF_8)); // only we write there, but other clients can
            }
        }
        return messages;
    }

    private static @Nullable Progress progress(byte @Nullable [] stored) {
        String[] parts = stored == null ? new String[0] : Bytes.text(stored).split(" ");
        try {
            return parts.length == 2 ? new Progress(Long.parseLong(parts[0]), Long.parseLong(parts[1])) : null;
        } catch (NumberFormatException e) {
            return null;
        }
    }

    private static @Nullable String text(byte @Nullable [] stored) {
        return stored == null ? null : Bytes.text(stored);
    }

    /** The ids of the newest batches, from a position. */
    public List<String> newest(long from, int count) {
        return ids(names.all(), from, count, true);
    }

    /** The ids of batches that are not over, those first that have had no new jobs for longest. */
    public List<String> open(long from, int count) {
        return ids(names.open(), from, count, false);
    }

    /** The same, those first that had new jobs last. */
    List<String> latest(long from, int count) {
        return ids(names.open(), from, count, true);
    }

    /** The number of all batches and of those that are not over. */
    public long count(boolean open) {
        return connection.<Long>run(commands -> commands.zcard(open ? names.open() : names.all()));
    }

    /** The ids of batches that want a look, oldest first. */
    List<String> resting(int count) {
        return ids(names.resting(), 0, count, false);
    }

    private List<String> ids(byte[] key, long from, int count, boolean highest) {
        List<byte[]> ids = connection.run(commands -> highest
                ? commands.zrevrange(key, from, from + count - 1)
                : commands.zrange(key, from, from + count - 1));
        return ids.stream().map(Bytes::text).toList();
    }

    /** Ids of a batch's children, sorted: all of them, or at least as many as asked for. */
    List<String> children(String id, int count) {
        return Replies.members(connection, names.children(id), count).stream()
                .sorted()
                .toList();
    }

    /** The ids of the oldest batches, from a position. */
    List<String> oldest(long from, int count) {
        return ids(names.all(), from, count, false);
    }

    /** Removes those of some batches whose keys have expired from the lists of batches. Returns how many. */
    long forgetExpired(Collection<String> ids) {
        return CallBounds.slices(List.copyOf(ids), EXPIRED).stream()
                .mapToLong(this::forgetExpiredTogether)
                .sum();
    }

    private long forgetExpiredTogether(List<String> ids) {
        List<byte[]> all = new ArrayList<>(List.of(names.all(), names.open(), names.cancelled()));
        ids.forEach(id -> all.add(names.batch(id)));
        return connection.<Long>callForOne(
                BatchScripts.TRIM,
                ScriptOutputType.INTEGER,
                all.toArray(byte[][]::new),
                ids.stream().map(Bytes::of).toArray(byte[][]::new));
    }
}
