package dev.jobs.processes;

import dev.jobs.Internal;
import dev.jobs.JobStoreException;
import dev.jobs.lists.EntryReader;
import dev.jobs.redis.Bytes;
import dev.jobs.redis.CallBounds;
import dev.jobs.redis.LuaScript;
import dev.jobs.redis.RedisConnection;
import dev.jobs.redis.RedisErrors;
import dev.jobs.redis.RedisKeys;
import dev.jobs.redis.Replies;
import dev.jobs.store.StoreKeys;
import io.lettuce.core.KeyValue;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.SetArgs;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sidekiq's registry of processes: what user interfaces show of a process, and the signals sent to it. Safety does not
 * depend on it. Thread-safe.
 */
@Internal
public final class ProcessRegistry {

    static final LuaScript PROCESS = LuaScript.of(ProcessRegistry.class, "process");
    static final LuaScript SIGNAL = LuaScript.of(ProcessRegistry.class, "signal");

    private static final Logger log = LoggerFactory.getLogger(ProcessRegistry.class);

    private static final int SHOWN_SECONDS = 60;

    private static final int CLEANUP_SECONDS = 60;
    private static final int TOGETHER = 100;
    private static final int WORK_PAGE = 200;
    /** So many processes are asked at once for their running jobs. */
    private static final int WORK_TOGETHER = 50;

    private static final String INFO = "info";
    private static final String STACK = "STACK ";
    private static final int STACK_SECONDS = 30;
    private static final List<String> FIELDS = List.of(INFO, "concurrency", "busy", "beat", "rtt_us", "quiet", "rss");

    /** The field of a process that names the jobs it knows; not Sidekiq's. */
    public static final String JOBS = "jobs";

    /** The field of a process that describes these jobs, see {@link PublishedJobs}; not Sidekiq's. */
    public static final String SHAPES = "shapes";

    /** The signals to a process. */
    public enum Signal {
        /** Take no more jobs. */
        TSTP,
        /** Stop. */
        TERM,
        /** Write the stacks of all threads to the log. */
        TTIN
    }

    /**
     * The running jobs of a process.
     *
     * @param anew whether these are all of them, rather than the changes
     * @param ended threads whose shown job has ended
     * @param begun thread to entry of each job not shown before
     */
    public record Work(boolean anew, List<String> ended, Map<String, byte[]> begun) {}

    /** The published fields of a process, which always include {@code info}. */
    public record Shown(String identity, Map<String, String> fields) {}

    private final RedisConnection connection;
    private final RedisKeys keys;
    private final ProcessKeys own;
    private final EntryReader reading;

    public ProcessRegistry(RedisConnection connection, RedisKeys keys) {
        this.reading = new EntryReader(connection);
        this.connection = connection;
        this.keys = keys;
        this.own = new ProcessKeys(keys);
    }

    /**
     * Publishes a process for the next minute.
     *
     * @param fields info, busy, beat …; all of them if the work is published anew, else those that changed
     */
    public Published publish(String identity, Map<String, String> fields, Work work) {
        List<byte[]> arguments = new ArrayList<>();
        arguments.add(Bytes.of(identity));
        arguments.add(Bytes.of(SHOWN_SECONDS));
        arguments.add(Bytes.of(work.anew() ? 1 : 0));
        arguments.add(Bytes.of(fields.size()));
        arguments.add(Bytes.of(work.ended().size()));
        fields.forEach((name, value) -> {
            arguments.add(Bytes.of(name));
            arguments.add(Bytes.of(value));
        });
        work.ended().forEach(thread -> arguments.add(Bytes.of(thread)));
        work.begun().forEach((thread, entry) -> {
            arguments.add(Bytes.of(thread));
            arguments.add(entry);
        });
        return Published.of(connection.call(
                PROCESS,
                new byte[][] {
                    keys.work(identity),
                    keys.processes(),
                    keys.process(identity),
                    keys.signals(identity),
                    new StoreKeys(keys).cancelled(),
                    own.limits()
                },
                arguments.toArray(byte[][]::new)));
    }

    /** How much one call may carry. */
    public CallBounds bounds() {
        return connection.bounds();
    }

    /** Removes a stopped process from the registry; its last state stays readable for a minute, as in Sidekiq. */
    public void remove(String identity) {
        connection.run(commands -> commands.srem(keys.processes(), Bytes.of(identity)));
        connection.run(commands -> commands.del(keys.work(identity)));
    }

    /**
     * The processes that were published within the last minute, at most 10,000. Others are removed from the registry,
     * unless a process did so within the last minute or Redis refuses writes.
     */
    public List<Shown> list() {
        List<String> identities = Replies.members(connection, keys.processes());
        List<Shown> shown = new ArrayList<>();
        List<String> gone = new ArrayList<>();
        for (int from = 0; from < identities.size(); from += TOGETHER) {
            List<String> some = identities.subList(from, Math.min(from + TOGETHER, identities.size()));
            List<@Nullable Map<String, String>> all = fields(some);
            for (int i = 0; i < some.size(); i++) {
                Map<String, String> fields = all.get(i);
                if (fields != null && fields.containsKey(INFO)) {
                    shown.add(new Shown(some.get(i), fields));
                } else if (fields != null) {
                    gone.add(some.get(i));
                }
            }
        }
        if (!gone.isEmpty()) {
            ifItIsTime(() -> remove(gone));
        }
        return shown;
    }

    /** The published state of one process, or null if there is none. */
    public @Nullable Shown find(String identity) {
        Map<String, String> fields = fields(List.of(identity)).get(0);
        return fields == null || !fields.containsKey(INFO) ? null : new Shown(identity, fields);
    }

    /** The existing fields of each process; null if its key holds no hash. */
    private List<@Nullable Map<String, String>> fields(List<String> identities) {
        byte[][] names = FIELDS.stream().map(Bytes::of).toArray(byte[][]::new);
        List<@Nullable List<KeyValue<byte[], byte[]>>> answers =
                connection.run(commands -> Replies.all(identities.stream()
                        .map(identity -> Replies.<@Nullable List<KeyValue<byte[], byte[]>>>unlessWrongType(
                                commands.hmget(keys.process(identity), names), null))
                        .toList()));
        List<@Nullable Map<String, String>> all = new ArrayList<>();
        for (List<KeyValue<byte[], byte[]>> answer : answers) {
            if (answer == null) {
                all.add(null);
                continue;
            }
            Map<String, String> fields = new LinkedHashMap<>();
            for (int i = 0; i < FIELDS.size(); i++) {
                if (answer.get(i).hasValue()) {
                    fields.put(FIELDS.get(i), Bytes.text(answer.get(i).getValue()));
                }
            }
            all.add(fields);
        }
        return all;
    }

    /**
     * Removes processes from the registry that were not published within the last minute, unless a process did so
     * within the last minute. So of many that start one after the other, few read the list of all.
     */
    public void tidy() {
        ifItIsTime(() -> {
            List<String> identities = Replies.members(connection, keys.processes());
            for (List<String> some : CallBounds.slices(identities, TOGETHER)) {
                List<Long> there = connection.run(commands -> Replies.all(some.stream()
                        .map(identity -> commands.exists(keys.process(identity)))
                        .toList()));
                List<String> gone = new ArrayList<>();
                for (int i = 0; i < some.size(); i++) {
                    if (there.get(i) == 0) {
                        gone.add(some.get(i));
                    }
                }
                remove(gone);
            }
        });
    }

    private void remove(List<String> identities) {
        if (!identities.isEmpty()) {
            byte[][] members = identities.stream().map(Bytes::of).toArray(byte[][]::new);
            connection.run(commands -> commands.srem(keys.processes(), members));
        }
    }

    private void ifItIsTime(Runnable cleanup) {
        try {
            String won = connection.<@Nullable String>run(commands -> commands.set(
                    keys.processCleanup(), Bytes.of(1), SetArgs.Builder.nx().ex(CLEANUP_SECONDS)));
            if (won != null) {
                cleanup.run();
            }
        } catch (JobStoreException e) {
            if (e.isAway()) {
                throw e;
            }
            // Redis is full, read-only or denies the write: reading must work anyway.
            log.debug("Dead processes stay in the registry for now", e);
        }
    }

    /** The identity of the leader, or null if there is none. */
    public @Nullable String leader() {
        return Replies.unlessWrongType(() -> connection.run(commands -> commands.get(keys.leader())))
                .map(Bytes::text)
                .orElse(null);
    }

    /**
     * The entries of the running jobs of processes, by process and thread, up to a maximum; none of a process whose key
     * holds no hash.
     */
    public Map<String, Map<String, byte[]>> work(List<String> identities, int most) {
        Map<String, Map<String, byte[]>> all = new LinkedHashMap<>();
        int left = most;
        for (int from = 0; from < identities.size() && left > 0; from += WORK_TOGETHER) {
            List<String> some = identities.subList(from, Math.min(from + WORK_TOGETHER, identities.size()));
            List<EntryReader.Step> first =
                    reading.scanHashes(some.stream().map(keys::work).toList(), WORK_PAGE);
            for (int i = 0; i < some.size(); i++) {
                Map<String, byte[]> work = work(some.get(i), first.get(i), left);
                left -= work.size();
                all.put(some.get(i), work);
            }
        }
        return all;
    }

    private Map<String, byte[]> work(String identity, EntryReader.Step first, int most) {
        Map<String, byte[]> work = new LinkedHashMap<>();
        EntryReader.Step step = first;
        while (true) {
            List<Object> flat = step.flat();
            for (int i = 0; i < flat.size() && work.size() < most; i += 2) {
                work.put(Bytes.text(flat.get(i)), (byte[]) flat.get(i + 1));
            }
            if (step.isLast() || work.size() >= most) {
                return work;
            }
            String cursor = step.cursor();
            step = Replies.unlessWrongType(() -> reading.scanHash(keys.work(identity), cursor, WORK_PAGE))
                    .orElse(EntryReader.Step.NOTHING);
        }
    }

    /**
     * Stores a signal, which the process takes with one of its next heartbeats. Returns whether there is such a
     * process.
     */
    public boolean signal(String identity, Signal signal) {
        return leave(identity, signal.name());
    }

    /**
     * Stores a signal for each of these processes, a hundred in one exchange.
     *
     * @param told receives after each exchange how many of its processes there are
     */
    public void signal(List<String> identities, Signal signal, LongConsumer told) {
        for (List<String> some : CallBounds.slices(identities, TOGETHER)) {
            List<Long> left = connection.run(commands -> Replies.all(some.stream()
                    .map(identity -> Replies.unlessWrongType(
                            RedisConnection.<Long>eval(
                                    commands,
                                    SIGNAL,
                                    ScriptOutputType.INTEGER,
                                    signalKeys(identity),
                                    signalArguments(identity, signal.name())),
                            0L))
                    .toList()));
            told.accept(left.stream().mapToLong(Long::longValue).sum());
        }
    }

    /**
     * Asks one of our processes for the stack of a thread that runs a job; {@link #stack} returns it soon. Returns
     * whether there is such a process and, as published, such a job: otherwise, requests for invented threads could
     * keep a process busy.
     */
    public boolean askForStack(String identity, String thread) {
        Optional<Boolean> runs = Replies.unlessWrongType(
                () -> connection.run(commands -> commands.hexists(keys.work(identity), Bytes.of(thread))));
        if (!runs.orElse(false)) {
            return false;
        }
        connection.run(commands -> commands.del(own.stack(identity, thread)));
        return leave(identity, STACK + thread);
    }

    /** The thread whose stack a signal asks for, or null if it is another signal. */
    public static @Nullable String asksForStack(String signal) {
        return signal.startsWith(STACK) ? signal.substring(STACK.length()) : null;
    }

    /** Answers {@link #askForStack}. */
    public void publishStack(String identity, String thread, byte[] stack) {
        connection.run(commands -> commands.setex(own.stack(identity, thread), STACK_SECONDS, stack));
    }

    /** The last answer of a process, available for half a minute; null before and after. */
    public byte @Nullable [] stack(String identity, String thread) {
        return Replies.unlessWrongType(() -> connection.run(commands -> commands.get(own.stack(identity, thread))))
                .orElse(null);
    }

    /** The job names that each process knows, as it published them; null if it published none. */
    public Map<String, @Nullable String> jobs(List<String> identities) {
        return field(identities, JOBS);
    }

    /** The jobs of each process, as it described them; empty if it doesn't. */
    public Map<String, PublishedJobs> published(List<String> identities) {
        Map<String, PublishedJobs> published = new LinkedHashMap<>();
        Map<String, PublishedJobs> read = new HashMap<>(); // processes of one version publish the same
        field(identities, SHAPES)
                .forEach((identity, text) -> published.put(
                        identity, read.computeIfAbsent(Objects.requireNonNullElse(text, ""), PublishedJobs::parse)));
        return published;
    }

    private Map<String, @Nullable String> field(List<String> identities, String name) {
        Map<String, @Nullable String> jobs = new LinkedHashMap<>();
        for (int from = 0; from < identities.size(); from += TOGETHER) {
            List<String> some = identities.subList(from, Math.min(from + TOGETHER, identities.size()));
            List<byte @Nullable []> answers = connection.run(commands -> Replies.all(some.stream()
                    .map(identity -> Replies.<byte @Nullable []>unlessWrongType(
                            commands.hget(keys.process(identity), Bytes.of(name)), null))
                    .toList()));
            for (int i = 0; i < some.size(); i++) {
                byte[] answer = answers.get(i);
                jobs.put(some.get(i), answer == null ? null : Bytes.text(answer));
            }
        }
        return jobs;
    }

    private boolean leave(String identity, String signal) {
        Long left = connection.callForOne(
                SIGNAL, ScriptOutputType.INTEGER, signalKeys(identity), signalArguments(identity, signal));
        return left == 1;
    }

    private byte[][] signalKeys(String identity) {
        return new byte[][] {keys.signals(identity), keys.processes()};
    }

    private static byte[][] signalArguments(String identity, String signal) {
        return new byte[][] {Bytes.of(identity), Bytes.of(signal), Bytes.of(SHOWN_SECONDS)};
    }

    /**
     * What a process hears when it publishes itself. What it hears of cancellations and limits doesn't depend on whether it
     * could be published.
     *
     * @param signal the oldest waiting signal, or null
     * @param jobs number of running jobs shown; -1 if all has to be published anew: the constant fields are missing, or it
     *     was not published
     * @param cancelled changes with each cancellation of a job; empty if there are none
     * @param limited queues for which people set limits
     * @param failure why it was not published, and has taken no signal; null if it was
     */
    public record Published(
            @Nullable String signal,
            int jobs,
            String cancelled,
            List<String> limited,
            @Nullable JobStoreException failure) {

        static Published of(List<Object> answer) {
            String signal = Bytes.text(answer.get(0));
            String failure = Bytes.text(answer.get(4));
            return new Published(
                    signal.isEmpty() ? null : signal,
                    (int) Bytes.number(answer.get(1)),
                    Bytes.text(answer.get(2)),
                    Bytes.lines(answer.get(3)),
                    failure.isEmpty() ? null : RedisErrors.ofScript(failure));
        }
    }
}
