package dev.jobs.store;

import dev.jobs.Internal;
import dev.jobs.redis.Bytes;
import dev.jobs.redis.CallBounds;
import dev.jobs.redis.RedisConnection;
import dev.jobs.redis.RedisKeys;
import dev.jobs.redis.SortedQueue;
import dev.jobs.store.Settlement.Kind;
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
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The exchange between a fetcher and Redis: settles finished jobs and claims new ones in one step. Thread-safe. */
@Internal
public final class JobClaims {

    /**
     * Maximum number of jobs and of plain acks in one exchange: twice what other calls carry, since these cost Redis
     * less than a millisecond together. They have at most {@link CallBounds#bytes} in either direction, unless a single
     * one is larger.
     */
    public static final int BATCH = 2 * CallBounds.JOBS;

    /** In {@link Reply#moves()}: settled. */
    public static final int SETTLED = 1;

    private static final byte[] STATS_RETENTION_SECONDS = Bytes.of(5L * 365 * 24 * 60 * 60);
    private static final int FIXED_KEYS = 13;
    private static final int FIXED_ARGUMENTS = 15;
    private static final int ARGUMENTS_OF_A_MOVE = 6;

    /** Where the list of shut queues stands in the answer. */
    private static final int SHUT = 8;

    /**
     * One exchange of a fetcher: what it settles and what it wants.
     *
     * @param line the number of the line in its process, from 0: each fetcher has three
     * @param number at least 1, higher with each exchange of the line; the same number repeats an exchange whose answer
     *     was lost
     * @param want maximum number of jobs to claim; at most {@value #BATCH} are claimed
     * @param suspects how many of them may be suspects
     * @param queues in the order in which to claim from them
     * @param gate what leaves jobs there
     */
    public record Request(
            String incarnation,
            int line,
            long number,
            int want,
            int suspects,
            List<String> queues,
            List<Settlement> settlements,
            ClaimGate gate) {

        /**
         * The same call without wanting jobs: returns the jobs that it claimed, or makes sure that it claims none if
         * Redis hasn't received it yet.
         */
        public Request withdrawn() {
            return new Request(incarnation, line, number, 0, 0, List.of(), settlements, ClaimGate.OPEN);
        }

        /** The same call without wanting suspects, unless it has claimed some already. */
        public Request withoutSuspects() {
            return suspects == 0 ? this : new Request(incarnation, line, number, want, 0, queues, settlements, gate);
        }

        /** Approximate bytes of what it settles. */
        public long size() {
            return settlements.stream().mapToLong(Settlement::size).sum();
        }

        private List<Settlement> only(Predicate<Settlement> some) {
            return settlements.stream().filter(some).toList();
        }

        /** The queues that the script knows by their numbers: also those to which jobs go back. */
        private List<String> numbered() {
            List<String> all = new ArrayList<>(queues);
            for (Settlement settlement : settlements) {
                if (settlement.goesToQueue() && !all.contains(settlement.where())) {
                    all.add(settlement.where());
                }
            }
            return all;
        }

        /**
         * The results of all but plain acks, in the order in which the settlements were given.
         *
         * @param results those of the script, of acks first; empty if it repeated an answer
         */
        private List<Integer> asGiven(List<Object> results) {
            if (results.isEmpty()) {
                return List.of();
            }
            List<Integer> ordered = new ArrayList<>(results.size());
            int ack = 0;
            int move = only(Settlement::isAckWithEffects).size();
            for (Settlement settlement : settlements) {
                if (!settlement.isPlainAck()) {
                    Object result = results.get(settlement.isAckWithEffects() ? ack++ : move++);
                    ordered.add((int) Bytes.number(result));
                }
            }
            return ordered;
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
         * A later call came first, so this one did nothing. Unless it is a late copy, another process uses this
         * identity.
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

        static Claimed of(String token, String queue, byte[] payload, int recoveries, @Nullable String permit) {
            if (permit == null) {
                return new Claimed(token, queue, payload, recoveries);
            }
            int end = permit.indexOf('\n', permit.indexOf('\n') + 1);
            return end < 0
                    ? new Claimed(token, queue, payload, recoveries, permit, null)
                    : new Claimed(
                            token, queue, payload, recoveries, permit.substring(0, end), permit.substring(end + 1));
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
        return reply(
                request, encoded(request, (all, arguments) -> connection.call(StoreScripts.CLAIM, all, arguments)));
    }

    /**
     * Sends an exchange over an open connection, without waiting for its answer. The result waits for it and fails if
     * none comes, also if there was no connection.
     */
    public Supplier<Reply> send(Request request) {
        CompletionStage<List<Object>> sent =
                encoded(request, (all, arguments) -> connection.callAsync(StoreScripts.CLAIM, all, arguments));
        return () -> reply(request, connection.await(sent, connection.timeout()));
    }

    /** An exchange to be sent among other commands of its connection, which says when it was answered. */
    public Function<RedisClusterAsyncCommands<byte[], byte[]>, CompletionStage<Reply>> prepared(Request request) {
        return encoded(
                request,
                (all, arguments) -> commands -> RedisConnection.<List<Object>>eval(
                                commands, StoreScripts.CLAIM, ScriptOutputType.MULTI, all, arguments)
                        .thenApply(answer -> reply(request, answer)));
    }

    /** How much one call may carry. */
    public CallBounds bounds() {
        return connection.bounds();
    }

    /** A store of a feature over the same connection. */
    public <T> T over(BiFunction<RedisConnection, RedisKeys, T> store) {
        return store.apply(connection, keys);
    }

    /**
     * The script makes the settlements in this order: plain acks, which share a command; acks with effects; the others,
     * which are moves. The last two have numbers there.
     *
     * @param call makes the call with these keys and arguments
     */
    private <T> T encoded(Request request, BiFunction<byte[][], byte[][], T> call) {
        List<String> queues = request.numbered();
        List<Settlement> plainAcks = request.only(Settlement::isPlainAck);
        List<Settlement> acksWithEffects = request.only(Settlement::isAckWithEffects);
        List<Settlement> moves = request.only(Settlement::isMove);
        List<byte[]> arguments = new ArrayList<>(FIXED_ARGUMENTS
                + queues.size()
                + plainAcks.size()
                + acksWithEffects.size()
                + ARGUMENTS_OF_A_MOVE * moves.size());
        arguments.add(Bytes.of(request.incarnation()));
        arguments.add(Bytes.of(request.line()));
        arguments.add(Bytes.of(request.number()));
        arguments.add(Bytes.of(Math.min(request.want(), BATCH)));
        arguments.add(Bytes.of(room(request)));
        arguments.add(Bytes.of(request.suspects()));
        arguments.add(Bytes.of(suspicious));
        arguments.add(Bytes.of(dead.maxJobs()));
        arguments.add(Bytes.of(dead.retention().toSeconds()));
        arguments.add(STATS_RETENTION_SECONDS);
        arguments.add(Bytes.of(request.want() == 0 ? 0 : request.queues().size()));
        arguments.add(Bytes.of(plainAcks.size()));
        arguments.add(Bytes.of(acksWithEffects.size()));
        arguments.add(Bytes.of(moves.size()));
        arguments.add(Bytes.of(queues.size()));
        queues.forEach(queue -> arguments.add(Bytes.of(queue)));
        plainAcks.forEach(ack -> arguments.add(Bytes.of(ack.token())));
        acksWithEffects.forEach(ack -> arguments.add(Bytes.of(ack.token())));
        moves.forEach(move -> addMove(move, queues, arguments));
        List<byte[]> all = keysFor(request.incarnation(), queues);
        keys.sorted().addGate(keys, queues, all, arguments);
        if (request.want() > 0) {
            request.gate().addTo(request.incarnation(), queues, keys, all, arguments);
        }
        EffectEncoder effects = new EffectEncoder(keys);
        int job = 0;
        for (List<Settlement> some : List.of(acksWithEffects, moves)) {
            for (Settlement settlement : some) {
                effects.add(++job, settlement.effects());
            }
        }
        effects.appendTo(all, arguments);
        return call.apply(all.toArray(byte[][]::new), arguments.toArray(byte[][]::new));
    }

    /** A call that sends many bytes may receive fewer, but at least one job, or the queue would seem empty. */
    private long room(Request request) {
        return Math.max(1, connection.bounds().bytes() - request.size());
    }

    private void addMove(Settlement settlement, List<String> queues, List<byte[]> arguments) {
        String where = settlement.where();
        if (settlement.goesToQueue()) {
            SortedQueue sorted = settlement.kind() == Kind.INTERRUPTED ? keys.sortedForNew(where) : null;
            where = Integer.toString(queues.indexOf(where) + 1)
                    + (sorted == null ? "" : " " + Bytes.text(sorted.rank(settlement.payload())));
        }
        arguments.add(Bytes.of(settlement.kind().name().toLowerCase(Locale.ROOT)));
        arguments.add(Bytes.of(settlement.token()));
        arguments.add(Bytes.of(settlement.processed()));
        arguments.add(Bytes.of(settlement.failed()));
        arguments.add(Bytes.of(where));
        arguments.add(settlement.payload());
    }

    private List<byte[]> keysFor(String incarnation, List<String> queues) {
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

    /** Reads the answer of {@code claim.lua}. */
    private static Reply reply(Request request, List<Object> answer) {
        List<String> queues = request.numbered();
        List<String> broken = new ArrayList<>();
        for (Object index : Bytes.list(answer.get(4))) {
            broken.add(queues.get((int) Bytes.number(index) - 1));
        }
        return new Reply(
                Status.valueOf(Bytes.text(answer.get(0)).toUpperCase(Locale.ROOT)),
                (int) Bytes.number(answer.get(1)),
                request.asGiven(Bytes.list(answer.get(2))),
                (int) Bytes.number(answer.get(3)),
                broken,
                claimed(answer, request, queues),
                shut(answer, queues));
    }

    /** The queues that a gate has shut; null if the answer doesn't say. */
    private static ClaimGate.@Nullable Shut shut(List<Object> answer, List<String> queues) {
        if (answer.size() <= SHUT) {
            return null;
        }
        List<String> full = new ArrayList<>();
        List<String> broken = new ArrayList<>();
        for (Object index : Bytes.list(answer.get(SHUT))) {
            int number = (int) Bytes.number(index);
            (number > 0 ? full : broken).add(queues.get(Math.abs(number) - 1));
        }
        return new ClaimGate.Shut(full, broken);
    }

    private static List<Claimed> claimed(List<Object> answer, Request request, List<String> queues) {
        Map<Integer, Integer> recoveries = new HashMap<>();
        List<Object> recovered = Bytes.list(answer.get(6));
        for (int i = 0; i < recovered.size(); i += 2) {
            recoveries.put((int) Bytes.number(recovered.get(i)), (int) Bytes.number(recovered.get(i + 1)));
        }
        Map<Integer, String> permits = new HashMap<>();
        List<Object> permitted = Bytes.list(answer.get(7));
        for (int i = 0; i < permitted.size(); i += 2) {
            permits.put((int) Bytes.number(permitted.get(i)), Bytes.text(permitted.get(i + 1)));
        }
        String prefix = request.line() + ":" + request.number() + ":";
        List<Claimed> claimed = new ArrayList<>();
        List<Object> runs = Bytes.list(answer.get(5));
        int index = 0;
        for (int i = 0; i < runs.size(); i += 2) {
            String queue =
                    runs.get(i) instanceof Long number ? queues.get(number.intValue() - 1) : Bytes.text(runs.get(i));
            for (Object payload : Bytes.list(runs.get(i + 1))) {
                index++;
                if (payload != null) { // null in a repeated answer: settled since
                    String token = prefix + index + ":" + queue;
                    claimed.add(Claimed.of(
                            token, queue, (byte[]) payload, recoveries.getOrDefault(index, 0), permits.get(index)));
                }
            }
        }
        return claimed;
    }
}
