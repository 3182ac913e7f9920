package dev.jobs.redis;

import dev.jobs.JobStoreException;
import dev.jobs.redis.Settlement.Outcome;
import io.lettuce.core.KeyValue;
import io.lettuce.core.LMoveArgs;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Clock;
import java.time.Duration;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletionStage;

/** The exchange between a fetcher and Redis: settles finished jobs and claims new ones in one step. Thread-safe. */
public final class JobClaims {

    /**
     * At most so many jobs and settlements travel in one exchange, so that the script stays short. They have no more than
     * {@link CallLimits#BYTES} in either direction, unless a single one is larger.
     */
    public static final int BATCH = CallLimits.JOBS;

    /** In {@link Reply#moves()}: done. */
    public static final int SETTLED = 1;

    private static final byte[] STATS_RETENTION_SECONDS = Bytes.of(5L * 365 * 24 * 60 * 60);
    private static final int FIXED_KEYS = 12;
    private static final int FIXED_ARGUMENTS = 14;

    /**
     * What a fetcher tells and asks in one exchange.
     *
     * @param line tells apart the fetchers of one process, 0, 1, 2 …
     * @param number 1 or more, higher with each exchange of the line; the same again repeats one whose answer didn't come
     * @param want jobs at most; no more than {@value #BATCH} are claimed
     * @param suspects how many of them may be jobs that keep outliving their workers
     * @param queues in the order in which to look at them
     */
    public record Request(
            String incarnation,
            int line,
            long number,
            int want,
            int suspects,
            List<String> queues,
            List<Settlement> settlements) {}

    /** How an exchange went for its process. */
    public enum Status {
        OK,
        /** The process was given up: its settlements were tried, but it may claim nothing until it has a new incarnation. */
        FENCED,
        /** The call was repeated: this is the answer of the first time, its settlements had their effect then. */
        REPLAY,
        /** A later call was made before, so this one did nothing, and if it is no late copy, somebody else makes calls under this identity. */
        STALE
    }

    /**
     * @param recoveries how often the job outlived its worker in the last 72 hours
     */
    public record Claimed(String token, String queue, byte[] payload, int recoveries) {}

    /**
     * @param refusedAcks acks that came too late
     * @param moves per settlement other than an ack, in order: 1 done, 0 too late, -1 not done because a key has the wrong type
     * @param trimmed jobs that fell out of the dead set
     * @param brokenQueues queues whose key is no list
     */
    public record Reply(
            Status status,
            int refusedAcks,
            List<Integer> moves,
            int trimmed,
            List<String> brokenQueues,
            List<Claimed> claimed) {

        /** How many settlements came too late. */
        public int late() {
            return refusedAcks
                    + (int) moves.stream().filter(result -> result == 0).count();
        }
    }

    /** What ended the wait of a standing exchange. */
    public enum Waited {
        /** There was a job in the queue. */
        PUSHED,
        /** The time was over. */
        TIMEOUT,
        /** The server doesn't let it wait: the exchange was made at once. */
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
     * @param clock tells the day that counters go to
     * @param suspicious recoveries from which on a job is isolated
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
        return reply(connection.call(LuaScript.CLAIM, call.keys(), call.arguments()), request, call.queues());
    }

    /**
     * Makes an exchange that stands in Redis, without waiting for it: it is made there as soon as there is a job in the queue, or after
     * that time. So a job is on its way to us with its push, where an exchange after a ring needs a way there first.
     *
     * <p>A {@code BLMOVE} of the queue onto itself goes before the script on the connection, and holds it back: it ends when there is a
     * job, and leaves it where it is. Redis makes nothing in between but other calls that stood for the same queue. Nothing else may use
     * the connection. It fails at once if there is no connection, and at any time if anything else goes wrong. Then the connection is
     * dropped, so that the server forgets a claim that may still stand there; {@link #exchange} under the same number, over another
     * connection, returns the answer.
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
                            commands, LuaScript.CLAIM, ScriptOutputType.MULTI, call.keys(), call.arguments());
                    return waited.thenCombine(
                            answer, (how, what) -> new Stood(how, reply(what, request, call.queues())));
                })
                .whenComplete((stood, failure) -> {
                    if (failure != null) {
                        connection.drop();
                    }
                });
    }

    /** Whether there is a connection, without which nothing can be done that doesn't wait. */
    public boolean isConnected() {
        return connection.isReady();
    }

    /** Opens the connection and waits until it is of use. */
    public void connect() {
        connection.run(RedisClusterAsyncCommands::ping);
    }

    /** How long a command may take. */
    public Duration timeout() {
        return connection.timeout();
    }

    private record Call(byte[][] keys, byte[][] arguments, List<String> queues) {}

    private Call call(Request request) {
        List<String> queues = new ArrayList<>(request.queues());
        List<byte[]> acks = new ArrayList<>();
        List<byte[]> moves = new ArrayList<>();
        EffectEncoder effects = new EffectEncoder();
        int moved = 0;
        for (Settlement settlement : request.settlements()) {
            if (settlement.isPlainAck()) {
                acks.add(Bytes.of(settlement.token()));
            } else {
                addMove(settlement, queues, moves);
                moved++;
                effects.add(moved, settlement.effects());
            }
        }
        List<byte[]> arguments = new ArrayList<>(FIXED_ARGUMENTS + queues.size() + acks.size() + moves.size());
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
        arguments.add(Bytes.of(acks.size()));
        arguments.add(Bytes.of(moved));
        arguments.add(Bytes.of(queues.size()));
        for (String queue : queues) {
            arguments.add(Bytes.of(queue));
        }
        arguments.addAll(acks);
        arguments.addAll(moves);
        List<byte[]> all = keysFor(request.incarnation(), queues);
        effects.appendTo(all, arguments);
        return new Call(all.toArray(byte[][]::new), arguments.toArray(byte[][]::new), queues);
    }

    /** A call that brings much takes less along, but one job at least: it must not seem that there is none. */
    private static long room(List<Settlement> settlements) {
        long brought = settlements.stream().mapToLong(Settlement::size).sum();
        return Math.max(1, CallLimits.BYTES - brought);
    }

    private static void addMove(Settlement settlement, List<String> queues, List<byte[]> moves) {
        String where = settlement.where();
        if (settlement.outcome() == Outcome.HANDED_BACK || settlement.outcome() == Outcome.INTERRUPTED) {
            if (!queues.contains(where)) {
                queues.add(where);
            }
            where = Integer.toString(queues.indexOf(where) + 1);
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
        for (String queue : queues) {
            all.add(keys.queue(queue));
        }
        return all;
    }

    private static Reply reply(List<Object> answer, Request request, List<String> queues) {
        List<Integer> moves = new ArrayList<>();
        for (Object result : Bytes.list(answer.get(2))) {
            moves.add((int) Bytes.number(result));
        }
        List<String> broken = new ArrayList<>();
        for (Object index : Bytes.list(answer.get(4))) {
            broken.add(queues.get((int) Bytes.number(index) - 1));
        }
        List<Object> flat = Bytes.list(answer.get(5));
        List<Claimed> claimed = new ArrayList<>(flat.size() / 3);
        for (int i = 0; i < flat.size(); i += 3) {
            byte[] payload = (byte[]) flat.get(i + 1);
            if (payload != null) { // null in a repeated answer: settled or handed back since
                String token = request.line() + ":" + request.number() + ":" + (i / 3 + 1);
                String queue =
                        flat.get(i) instanceof Long index ? queues.get(index.intValue() - 1) : Bytes.text(flat.get(i));
                claimed.add(new Claimed(token, queue, payload, (int) Bytes.number(flat.get(i + 2))));
            }
        }
        return new Reply(
                Status.valueOf(Bytes.text(answer.get(0)).toUpperCase(Locale.ROOT)),
                (int) Bytes.number(answer.get(1)),
                moves,
                (int) Bytes.number(answer.get(3)),
                broken,
                claimed);
    }

    /** The tokens of all jobs that Redis says this incarnation holds. */
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

    /** The jobs behind some of those tokens; what isn't held any more is left out. */
    public List<Claimed> held(String incarnation, List<String> tokens) {
        List<Claimed> found = new ArrayList<>();
        Map<String, Long> sizes = sizes(incarnation, tokens);
        for (List<String> some : CallLimits.cut(tokens, token -> sizes.getOrDefault(token, 0L))) {
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
                InFlightEntry held = InFlightEntry.parse(entry.getValue());
                found.add(new Claimed(
                        Bytes.text(entry.getKey()), held.queue(), held.payload(), recoveries(held.payload())));
            }
        }
        return found;
    }

    private int recoveries(byte[] payload) {
        try {
            byte[] count = connection.run(commands -> commands.hget(keys.recovered(), Bytes.of(sha1(payload))));
            return count == null ? 0 : Integer.parseInt(Bytes.text(count));
        } catch (JobStoreException e) {
            if (e.kind() == JobStoreException.Kind.WRONG_TYPE) {
                return 0; // as for a claim, no reason not to take the job
            }
            throw e;
        } catch (NumberFormatException e) {
            return 0;
        }
    }

    /** As {@code redis.sha1hex}. */
    private static String sha1(byte[] payload) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-1").digest(payload));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    /** A value of an in-flight hash: the name of the queue, a newline, the payload. What has no newline is all payload. */
    record InFlightEntry(String queue, byte[] payload) {

        static InFlightEntry parse(byte[] value) {
            int cut = 0;
            while (cut < value.length && value[cut] != '\n') {
                cut++;
            }
            return cut == value.length
                    ? new InFlightEntry("", value)
                    : new InFlightEntry(
                            new String(value, 0, cut, StandardCharsets.UTF_8),
                            Arrays.copyOfRange(value, cut + 1, value.length));
        }
    }
}
