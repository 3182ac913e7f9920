package dev.jobs.store;

import dev.jobs.Internal;
import dev.jobs.redis.Bytes;
import dev.jobs.redis.CallBounds;
import dev.jobs.redis.RedisConnection;
import dev.jobs.redis.RedisKeys;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import java.time.Clock;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** The exchange between a fetcher and Redis: settles finished jobs and claims new ones in one step. Thread-safe. */
@Internal
public final class JobClaims {

    /**
     * Maximum number of jobs and of small acks in one exchange: twice what other calls carry, since these cost Redis
     * less than a millisecond together. They have at most {@link CallBounds#bytes} in either direction, unless a single
     * one is larger.
     */
    public static final int BATCH = 2 * CallBounds.JOBS;

    /** In {@link Reply#moves()}: settled. */
    public static final int SETTLED = 1;

    private static final byte[] STATS_RETENTION_SECONDS = Bytes.of(5L * 365 * 24 * 60 * 60);
    private static final int FIXED_KEYS = 13;
    private static final int FIXED_ARGUMENTS = 16;

    /**
     * One exchange of a fetcher: what it settles and what it wants.
     *
     * @param line the number of the line in its process, from 0: each fetcher has three
     * @param number at least 1, higher with each exchange of the line; the same number repeats an exchange whose answer
     *     was lost
     * @param mark drawn for each number, so that an exchange of a clone of this process isn't taken for a repetition
     * @param want maximum number of jobs to claim; at most {@value #BATCH} are claimed
     * @param suspects how many of them may be suspects
     * @param queues in the order in which to claim from them
     * @param gate what leaves jobs there
     */
    public record Request(
            String incarnation,
            int line,
            long number,
            String mark,
            int want,
            int suspects,
            List<String> queues,
            List<Settlement> settlements,
            ClaimGate gate) {

        /**
         * Draws a mark.
         *
         * @param now on the monotonic clock: clones may have generators in the same state
         */
        public static String newMark(RandomGenerator random, long now) {
            return Integer.toUnsignedString(random.nextInt() ^ Long.hashCode(now), Character.MAX_RADIX);
        }

        /**
         * The same call without wanting jobs: returns the jobs that it claimed, or makes sure that it claims none if
         * Redis hasn't received it yet.
         */
        public Request withdrawn() {
            return new Request(incarnation, line, number, mark, 0, 0, List.of(), settlements, ClaimGate.OPEN);
        }

        /** The same call without wanting suspects, unless it has claimed some already. */
        public Request withoutSuspects() {
            return suspects == 0
                    ? this
                    : new Request(incarnation, line, number, mark, want, 0, queues, settlements, gate);
        }

        /** Approximate bytes of what it settles. */
        public long size() {
            return settlements.stream().mapToLong(Settlement::size).sum();
        }
    }

    /** How an exchange went for its process. */
    public enum Status {
        OK,
        /** The process was given up: its settlements were tried, but it can't claim until it has a new incarnation. */
        FENCED,
        /** The call was repeated: this is the first answer, and the settlements took effect then. */
        REPLAY,
        /**
         * A later call came first, or another one of this number, so this one did nothing. Unless it is a late copy,
         * another process uses this identity.
         */
        STALE
    }

    /**
     * A job that was claimed.
     *
     * @param token names this delivery of it: {@code LINE:NUMBER:INDEX:QUEUE}, by the call that claimed it
     * @param recoveries how often a worker died while it held the job, within 72 hours
     * @param permit where it has one, which a job that was settled in the same step left to it: the limit, a line
     *     break, the key; null if it has none
     * @param start if the permit came with a start by a rate: what is stored with that start, a line break, what was
     *     stored without it; else null
     */
    public record Claimed(
            String token,
            String queue,
            byte[] payload,
            int recoveries,
            @Nullable String permit,
            @Nullable String start) {

        /** Without permits. */
        public Claimed(String token, String queue, byte[] payload, int recoveries) {
            this(token, queue, payload, recoveries, null, null);
        }
    }

    /**
     * The answer to an exchange.
     *
     * @param lateAcks acks that came too late
     * @param moves for each settlement other than a plain ack, in order: 1 settled, 0 too late, -1 refused because a
     *     key has the wrong type
     * @param trimmed jobs trimmed from the dead set
     * @param brokenQueues queues whose key holds no list
     * @param shut the queues that the gate has shut; null if the answer doesn't say
     */
    public record Reply(
            Status status,
            int lateAcks,
            List<Integer> moves,
            int trimmed,
            List<String> brokenQueues,
            List<Claimed> claimed,
            ClaimGate.@Nullable Shut shut) {

        /** Number of settlements that came too late. */
        public int late() {
            return lateAcks + (int) moves.stream().filter(result -> result == 0).count();
        }
    }

    private final RedisConnection connection;
    private final RedisKeys keys;
    private final Clock clock;
    private final DeadSetBounds dead;
    private final int suspicious;

    /**
     * @param clock the source of the day for the daily counters
     * @param suspicious number of recoveries from which a job is a suspect
     */
    public JobClaims(RedisConnection connection, RedisKeys keys, Clock clock, DeadSetBounds dead, int suspicious) {
        this.connection = connection;
        this.keys = keys;
        this.clock = clock;
        this.dead = dead;
        this.suspicious = suspicious;
    }

    /** Makes an exchange and waits for its answer. */
    public Reply exchange(Request request) {
        Call call = new Call(request);
        return call.reply(connection.call(StoreScripts.CLAIM, call.callKeys, call.callArguments));
    }

    /**
     * Sends an exchange over an open connection, without waiting for its answer. The result waits for it and fails if
     * none comes, also if there was no connection.
     */
    public Supplier<Reply> send(Request request) {
        Call call = new Call(request);
        CompletionStage<List<Object>> sent =
                connection.callAsync(StoreScripts.CLAIM, call.callKeys, call.callArguments);
        return () -> call.reply(connection.await(sent, connection.timeout()));
    }

    /** An exchange to be sent among other commands of its connection, which says when it was answered. */
    public Function<RedisClusterAsyncCommands<byte[], byte[]>, CompletionStage<Reply>> prepared(Request request) {
        Call call = new Call(request);
        return commands -> RedisConnection.<List<Object>>eval(
                        commands, StoreScripts.CLAIM, ScriptOutputType.MULTI, call.callKeys, call.callArguments)
                .thenApply(call::reply);
    }

    /** How much one call may carry. */
    public CallBounds bounds() {
        return connection.bounds();
    }

    /** A store of a feature over the same connection. */
    public <T> T over(BiFunction<RedisConnection, RedisKeys, T> store) {
        return store.apply(connection, keys);
    }

    /** The queue in a token, which is {@code LINE:NUMBER:INDEX:QUEUE}; empty if the text is no token. */
    public static String queueOf(String token) {
        int colon = -1;
        for (int i = 0; i < 3; i++) {
            colon = token.indexOf(':', colon + 1);
            if (colon < 0) {
                return "";
            }
        }
        return token.substring(colon + 1);
    }

    private List<byte[]> fixedKeys(String incarnation, List<String> queues) {
        LocalDate day = LocalDate.ofInstant(clock.instant(), ZoneOffset.UTC);
        List<byte[]> all = new ArrayList<>(FIXED_KEYS + queues.size());
        all.add(keys.inFlight(incarnation));
        all.add(keys.beats());
        all.add(keys.paused());
        all.add(keys.ledger());
        all.add(keys.recovered());
        all.add(keys.queues());
        all.add(keys.processed());
        all.add(keys.failed());
        all.add(keys.processed(day));
        all.add(keys.failed(day));
        all.add(keys.retry());
        all.add(keys.dead());
        all.add(keys.schedule());
        for (String queue : queues) {
            all.add(keys.queue(queue));
        }
        return all;
    }

    /** A call that sends many bytes may receive fewer, but at least one job, or the queue would seem empty. */
    private long room(Request request) {
        return Math.max(1, connection.bounds().bytes() - request.size());
    }

    /** A call of {@code claim.lua} and what its answer means. */
    private final class Call {

        private final Request request;
        private final NumberedSettlements numbered;

        /** Those that the script knows by their numbers. */
        private final List<String> queues;

        private final byte[][] callKeys;
        private final byte[][] callArguments;

        Call(Request request) {
            this.request = request;
            this.numbered = new NumberedSettlements(request.settlements());
            this.queues = numbered.withTheirs(request.queues());
            List<byte[]> all = fixedKeys(request.incarnation(), queues);
            List<byte[]> more = fixedArguments();
            keys.sorted().addGate(keys, queues, all, more);
            if (request.want() > 0) {
                request.gate().addTo(request.incarnation(), queues, keys, all, more);
            }
            numbered.addEffectsTo(keys, all, more);
            this.callKeys = all.toArray(byte[][]::new);
            this.callArguments = more.toArray(byte[][]::new);
        }

        /** All but those of gates and effects. */
        private List<byte[]> fixedArguments() {
            List<Settlement> plainAcks = request.settlements().stream()
                    .filter(Settlement::isPlainAck)
                    .toList();
            List<byte[]> all =
                    new ArrayList<>(FIXED_ARGUMENTS + queues.size() + plainAcks.size() + numbered.arguments());
            all.add(Bytes.of(request.incarnation()));
            all.add(Bytes.of(request.line()));
            all.add(Bytes.of(request.number()));
            all.add(Bytes.of(Math.min(request.want(), BATCH)));
            all.add(Bytes.of(room(request)));
            all.add(Bytes.of(request.suspects()));
            all.add(Bytes.of(suspicious));
            all.add(Bytes.of(dead.maxJobs()));
            all.add(Bytes.of(dead.retention().toSeconds()));
            all.add(STATS_RETENTION_SECONDS);
            all.add(Bytes.of(request.want() == 0 ? 0 : request.queues().size()));
            all.add(Bytes.of(plainAcks.size()));
            all.add(Bytes.of(numbered.acks().size()));
            all.add(Bytes.of(numbered.moves().size()));
            all.add(Bytes.of(queues.size()));
            all.add(Bytes.of(request.mark()));
            queues.forEach(queue -> all.add(Bytes.of(queue)));
            plainAcks.forEach(ack -> all.add(Bytes.of(ack.token())));
            numbered.addTo(keys, queues, all);
            return all;
        }

        Reply reply(List<Object> answer) {
            List<String> broken = new ArrayList<>();
            for (Object index : Bytes.list(answer.get(4))) {
                broken.add(queues.get((int) Bytes.number(index) - 1));
            }
            return new Reply(
                    Status.valueOf(Bytes.text(answer.get(0)).toUpperCase(Locale.ROOT)),
                    (int) Bytes.number(answer.get(1)),
                    numbered.asGiven(Bytes.list(answer.get(2))),
                    (int) Bytes.number(answer.get(3)),
                    broken,
                    claimed(answer),
                    GateAnswer.shut(answer, queues));
        }

        private List<Claimed> claimed(List<Object> answer) {
            Map<Integer, Integer> recoveries = byIndex(answer.get(6), number -> (int) Bytes.number(number));
            Map<Integer, String> permits = byIndex(answer.get(7), Bytes::text);
            String prefix = request.line() + ":" + request.number() + ":";
            List<Claimed> claimed = new ArrayList<>();
            List<Object> runs = Bytes.list(answer.get(5));
            int index = 0;
            for (int i = 0; i < runs.size(); i += 2) {
                String queue = runs.get(i) instanceof Long number
                        ? queues.get(number.intValue() - 1)
                        : Bytes.text(runs.get(i));
                for (Object payload : Bytes.list(runs.get(i + 1))) {
                    index++;
                    if (payload != null) { // null in a repeated answer: settled since
                        String token = prefix + index + ":" + queue;
                        Claimed job = new Claimed(token, queue, (byte[]) payload, recoveries.getOrDefault(index, 0));
                        String left = permits.get(index);
                        claimed.add(left == null ? job : GateAnswer.permitted(job, left));
                    }
                }
            }
            return claimed;
        }

        /** What a list says of some of the jobs: two entries for each, of which the first is its number. */
        private static <T> Map<Integer, T> byIndex(Object entries, Function<Object, T> value) {
            List<Object> flat = Bytes.list(entries);
            Map<Integer, T> all = new HashMap<>();
            for (int i = 0; i < flat.size(); i += 2) {
                all.put((int) Bytes.number(flat.get(i)), value.apply(flat.get(i + 1)));
            }
            return all;
        }
    }
}
