package dev.jobs.store;

import dev.jobs.Internal;
import dev.jobs.JobStoreException;
import dev.jobs.redis.Bytes;
import dev.jobs.redis.CallLimits;
import dev.jobs.redis.RedisConnection;
import dev.jobs.redis.RedisKeys;
import dev.jobs.redis.Replies;
import dev.jobs.redis.SortedQueue;
import dev.jobs.store.Settlement.Outcome;
import io.lettuce.core.KeyValue;
import io.lettuce.core.LMoveArgs;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import java.time.Clock;
import java.time.Duration;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.function.BiFunction;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The exchange between a fetcher and Redis: settles finished jobs and claims new ones in one step. Thread-safe. */
@Internal
public final class JobClaims {

    /**
     * Maximum number of jobs and of plain acks in one exchange: twice what other calls carry, since these cost Redis
     * less than a millisecond together. They have at most {@link CallLimits#bytes} in either direction, unless a single
     * one is larger.
     */
    public static final int BATCH = 2 * CallLimits.JOBS;

    /** In {@link Reply#moves()}: settled. */
    public static final int SETTLED = 1;

    private static final byte[] STATS_RETENTION_SECONDS = Bytes.of(5L * 365 * 24 * 60 * 60);
    private static final int FIXED_KEYS = 13;
    private static final int FIXED_ARGUMENTS = 15;

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
            ClaimGate gate) {}

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
     * @param place where it has a permit, which a job that was settled in the same step left to it: the limit, a line
     *     break, the key; null if it has none
     * @param start if the permit came with a start by a rate: what is stored with that start, a line break, what was
     *     stored without it; else null
     */
    public record Claimed(
            String token,
            String queue,
            byte[] payload,
            int recoveries,
            @Nullable String place,
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

    /** What ended the wait of a standing exchange. */
    public enum Waited {
        /** A job was in the queue. */
        PUSHED,
        /** The time ran out. */
        TIMEOUT,
        /** The server doesn't let the command wait: the exchange was made at once. */
        REFUSED
    }

    /** The answer to an exchange that stood in Redis. */
    public record Stood(Waited waited, Reply reply) {}

    private final RedisConnection connection;
    private final RedisKeys keys;
    private final Clock clock;
    private final DeadSetLimits dead;
    private final int suspicious;

    /**
     * @param clock the source of the day for the daily counters
     * @param suspicious number of recoveries from which a job is a suspect
     */
    public JobClaims(RedisConnection connection, RedisKeys keys, Clock clock, DeadSetLimits dead, int suspicious) {
        this.connection = connection;
        this.keys = keys;
        this.clock = clock;
        this.dead = dead;
        this.suspicious = suspicious;
    }

    /** Makes an exchange and waits for its answer. */
    public Reply exchange(Request request) {
        Call call = call(request);
        return call.reply(connection.call(StoreScripts.CLAIM, call.keys(), call.arguments()), request);
    }

    /**
     * Sends an exchange over an open connection, without waiting for its answer. The result waits for it and fails if
     * none comes, also if there was no connection.
     */
    public Supplier<Reply> send(Request request) {
        Call call = call(request);
        CompletionStage<List<Object>> sent = connection.callAsync(StoreScripts.CLAIM, call.keys(), call.arguments());
        return () -> call.reply(connection.await(sent, connection.timeout()), request);
    }

    /**
     * Sends an exchange that stands in Redis, without waiting for it: Redis executes it as soon as the queue has a job,
     * or after the given time. So Redis sends a job to this process at its push, without a notification and a request
     * first.
     *
     * <p>A {@code BLMOVE} of the queue onto itself precedes the script on the connection and delays it: the command
     * ends when there is a job, and leaves the job in its place. Between the two, Redis executes only other standing
     * calls for the same queue. Nothing else may use the connection. The call fails at once if there is no connection,
     * and later on any other error. The connection is then closed, so that the server forgets a claim that may still be
     * standing; {@link #exchange} with the same number, over another connection, returns the answer.
     *
     * @param atMost more than 0, less than the timeout of the connection
     */
    public CompletionStage<Stood> stand(Request request, String queue, Duration atMost) {
        Call call = call(request);
        byte[] key = keys.queue(queue);
        return connection
                .runAsync(commands -> {
                    CompletionStage<Waited> waited = commands.blmove(
                                    key, key, LMoveArgs.Builder.rightRight(), atMost.toMillis() / 1000.0)
                            .handle((job, failure) ->
                                    failure != null ? Waited.REFUSED : job == null ? Waited.TIMEOUT : Waited.PUSHED);
                    CompletionStage<List<Object>> answer = RedisConnection.eval(
                            commands, StoreScripts.CLAIM, ScriptOutputType.MULTI, call.keys(), call.arguments());
                    return waited.thenCombine(answer, (how, what) -> new Stood(how, call.reply(what, request)));
                })
                .whenComplete((stood, failure) -> {
                    if (failure != null) {
                        connection.drop();
                    }
                });
    }

    /** Whether a claim that stands at a queue notices all jobs of it: those of a sorted queue don't pass its list. */
    public boolean canStandAt(String queue) {
        return keys.sorted(queue) == null;
    }

    /** Whether there is a connection; without one, {@link #stand} fails. */
    public boolean isConnected() {
        return connection.isReady();
    }

    /** How much one call may carry. */
    public CallLimits limits() {
        return connection.limits();
    }

    /** A store of a feature over the same connection. */
    public <T> T over(BiFunction<RedisConnection, RedisKeys, T> store) {
        return store.apply(connection, keys);
    }

    /** Opens the connection and waits until it works. */
    public void connect() {
        connection.run(RedisClusterAsyncCommands::ping);
    }

    /** The command timeout. */
    public Duration timeout() {
        return connection.timeout();
    }

    private record Call(byte[][] keys, byte[][] arguments, List<String> queues, SettlementOrder order) {

        Reply reply(List<Object> answer, Request request) {
            return ClaimAnswers.read(answer, request, queues, order);
        }
    }

    private Call call(Request request) {
        List<String> queues = new ArrayList<>(request.queues());
        SettlementOrder order = new SettlementOrder(request.settlements());
        List<byte[]> moves = new ArrayList<>();
        order.moves().forEach(settlement -> addMove(settlement, queues, moves));
        List<byte[]> arguments = new ArrayList<>(
                FIXED_ARGUMENTS + queues.size() + request.settlements().size() + moves.size());
        arguments.add(Bytes.of(request.incarnation()));
        arguments.add(Bytes.of(request.line()));
        arguments.add(Bytes.of(request.number()));
        arguments.add(Bytes.of(Math.min(request.want(), BATCH)));
        arguments.add(Bytes.of(room(request.settlements())));
        arguments.add(Bytes.of(request.suspects()));
        arguments.add(Bytes.of(suspicious));
        arguments.add(Bytes.of(dead.maxJobs()));
        arguments.add(Bytes.of(dead.retention().toSeconds()));
        arguments.add(STATS_RETENTION_SECONDS);
        arguments.add(Bytes.of(request.want() == 0 ? 0 : request.queues().size()));
        arguments.add(Bytes.of(order.plainAcks().size()));
        arguments.add(Bytes.of(order.acksWithEffects().size()));
        arguments.add(Bytes.of(order.moves().size()));
        arguments.add(Bytes.of(queues.size()));
        for (String queue : queues) {
            arguments.add(Bytes.of(queue));
        }
        order.plainAcks().forEach(ack -> arguments.add(Bytes.of(ack.token())));
        order.acksWithEffects().forEach(ack -> arguments.add(Bytes.of(ack.token())));
        arguments.addAll(moves);
        List<byte[]> all = keysFor(request.incarnation(), queues);
        keys.sorted().addGate(keys, queues, all, arguments);
        if (request.want() > 0) {
            request.gate().addTo(request.incarnation(), queues, keys, all, arguments);
        }
        order.effects(keys).appendTo(all, arguments);
        return new Call(all.toArray(byte[][]::new), arguments.toArray(byte[][]::new), queues, order);
    }

    /** A call that sends many bytes may receive fewer, but at least one job, or the queue would seem empty. */
    private long room(List<Settlement> settlements) {
        long brought = settlements.stream().mapToLong(Settlement::size).sum();
        return Math.max(1, connection.limits().bytes() - brought);
    }

    private void addMove(Settlement settlement, List<String> queues, List<byte[]> moves) {
        String where = settlement.where();
        if (settlement.outcome() == Outcome.HANDED_BACK || settlement.outcome() == Outcome.INTERRUPTED) {
            if (!queues.contains(where)) {
                queues.add(where);
            }
            SortedQueue sorted = settlement.outcome() == Outcome.INTERRUPTED ? keys.sortedForNew(where) : null;
            where = Integer.toString(queues.indexOf(where) + 1)
                    + (sorted == null ? "" : " " + Bytes.text(sorted.rank(settlement.payload())));
        }
        moves.add(Bytes.of(settlement.outcome().name().toLowerCase(Locale.ROOT)));
        moves.add(Bytes.of(settlement.token()));
        moves.add(Bytes.of(settlement.processed()));
        moves.add(Bytes.of(settlement.failed()));
        moves.add(Bytes.of(where));
        moves.add(settlement.payload());
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

    /** The tokens of all jobs that this incarnation holds in Redis. */
    public List<String> tokens(String incarnation) {
        List<String> tokens = new ArrayList<>();
        for (byte[] field : connection.run(commands -> commands.hkeys(keys.inFlight(incarnation)))) {
            String token = Bytes.text(field);
            if (!token.startsWith("#")) {
                tokens.add(token);
            }
        }
        return tokens;
    }

    /** The jobs of some of those tokens; jobs no longer held are left out. */
    public List<Claimed> held(String incarnation, List<String> tokens) {
        List<Claimed> found = new ArrayList<>();
        Map<String, Long> sizes = sizes(incarnation, tokens);
        for (List<String> some : connection.limits().cut(tokens, token -> sizes.getOrDefault(token, 0L))) {
            found.addAll(heldTogether(incarnation, some));
        }
        return found;
    }

    private Map<String, Long> sizes(String incarnation, List<String> tokens) {
        List<Long> answers = connection.run(commands -> Replies.all(tokens.stream()
                .map(token -> commands.hstrlen(keys.inFlight(incarnation), Bytes.of(token)))
                .toList()));
        Map<String, Long> sizes = new HashMap<>();
        for (int i = 0; i < answers.size(); i++) {
            sizes.put(tokens.get(i), answers.get(i));
        }
        return sizes;
    }

    private List<Claimed> heldTogether(String incarnation, List<String> tokens) {
        byte[][] fields = tokens.stream().map(Bytes::of).toArray(byte[][]::new);
        List<Claimed> found = new ArrayList<>();
        for (KeyValue<byte[], byte[]> entry :
                connection.run(commands -> commands.hmget(keys.inFlight(incarnation), fields))) {
            if (entry.hasValue()) {
                String token = Bytes.text(entry.getKey());
                byte[] payload = entry.getValue();
                found.add(new Claimed(token, queueOf(token), payload, recoveries(payload)));
            }
        }
        return found;
    }

    private int recoveries(byte[] payload) {
        try {
            byte[] count =
                    connection.run(commands -> commands.hget(keys.recovered(), Bytes.of(JobRecoveries.sha1(payload))));
            return count == null ? 0 : Integer.parseInt(Bytes.text(count));
        } catch (JobStoreException e) {
            if (e.kind() == JobStoreException.Kind.WRONG_TYPE) {
                return 0; // as in a claim: no reason to refuse the job
            }
            throw e;
        } catch (NumberFormatException e) {
            return 0;
        }
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

    /** Reads the answers of {@code claim.lua}. */
    private static final class ClaimAnswers {

        /** Where the list of shut queues stands in the answer. */
        private static final int SHUT = 8;

        private ClaimAnswers() {}

        /** @param queues those that the script knows by their numbers */
        static Reply read(List<Object> answer, Request request, List<String> queues, SettlementOrder order) {
            List<Integer> moves = order.asGiven(Bytes.list(answer.get(2)));
            List<String> broken = new ArrayList<>();
            for (Object index : Bytes.list(answer.get(4))) {
                broken.add(queues.get((int) Bytes.number(index) - 1));
            }
            return new Reply(
                    Status.valueOf(Bytes.text(answer.get(0)).toUpperCase(Locale.ROOT)),
                    (int) Bytes.number(answer.get(1)),
                    moves,
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
            Map<Integer, String> places = new HashMap<>();
            List<Object> permitted = Bytes.list(answer.get(7));
            for (int i = 0; i < permitted.size(); i += 2) {
                places.put((int) Bytes.number(permitted.get(i)), Bytes.text(permitted.get(i + 1)));
            }
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
                        claimed.add(Claimed.of(
                                token, queue, (byte[]) payload, recoveries.getOrDefault(index, 0), places.get(index)));
                    }
                }
            }
            return claimed;
        }
    }

    /**
     * Settlements in the order in which {@code claim.lua} makes them: plain acks, which share a command; acks with effects;
     * the others, which are moves. Not thread-safe.
     */
    private static final class SettlementOrder {

        private final List<Settlement> given;
        private final List<Settlement> plainAcks = new ArrayList<>();
        private final List<Settlement> acksWithEffects = new ArrayList<>();
        private final List<Settlement> moves = new ArrayList<>();

        SettlementOrder(List<Settlement> settlements) {
            this.given = settlements;
            for (Settlement settlement : settlements) {
                if (settlement.isPlainAck()) {
                    plainAcks.add(settlement);
                } else {
                    (settlement.isAckWithEffects() ? acksWithEffects : moves).add(settlement);
                }
            }
        }

        List<Settlement> plainAcks() {
            return plainAcks;
        }

        List<Settlement> acksWithEffects() {
            return acksWithEffects;
        }

        List<Settlement> moves() {
            return moves;
        }

        /** The effects of all, under the numbers that the script gives to jobs. */
        EffectEncoder effects(RedisKeys keys) {
            EffectEncoder effects = new EffectEncoder(keys);
            int number = 0;
            for (List<Settlement> some : List.of(acksWithEffects, moves)) {
                for (Settlement settlement : some) {
                    number++;
                    effects.add(number, settlement.effects());
                }
            }
            return effects;
        }

        /**
         * The results of all but plain acks, in the order in which the settlements were given.
         *
         * @param results those of the script; empty if it repeated an answer
         */
        List<Integer> asGiven(List<Object> results) {
            if (results.isEmpty()) {
                return List.of();
            }
            List<Integer> ordered = new ArrayList<>(results.size());
            int ack = 0;
            int move = acksWithEffects.size();
            for (Settlement settlement : given) {
                if (!settlement.isPlainAck()) {
                    Object result = results.get(settlement.isAckWithEffects() ? ack++ : move++);
                    ordered.add((int) Bytes.number(result));
                }
            }
            return ordered;
        }
    }
}
