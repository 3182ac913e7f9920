package dev.jobs.results;

import dev.jobs.Internal;
import dev.jobs.InvalidPayloadException;
import dev.jobs.JobHandle;
import dev.jobs.JobResult;
import dev.jobs.JobResult.State;
import dev.jobs.JobsException;
import dev.jobs.Payload;
import dev.jobs.client.Options;
import dev.jobs.client.PayloadRules;
import dev.jobs.client.ResultStore;
import dev.jobs.codec.ArgumentCodec;
import dev.jobs.codec.ArgumentException;
import dev.jobs.codec.ParameterType;
import java.io.ByteArrayOutputStream;
import java.lang.ref.WeakReference;
import java.lang.reflect.Type;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The results of a client's jobs: what submitted jobs ask for, and what is read of them. Thread-safe. */
@Internal
public final class Results implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(Results.class);

    /** What stands on the stack of a thread that runs a job. */
    private static final String RUNS_JOBS = "dev.jobs.engine.JobRunner";

    private static final Map<String, State> STATES = Map.ofEntries(
            Map.entry("done", State.SUCCEEDED),
            Map.entry("retried", State.RETRIED),
            Map.entry("revived", State.PENDING),
            Map.entry("failed", State.FAILED),
            Map.entry("dead", State.DEAD),
            Map.entry("discarded", State.DISCARDED),
            Map.entry("cancelled", State.CANCELLED),
            Map.entry("expired", State.EXPIRED),
            Map.entry("deleted", State.DELETED));

    private final ArgumentCodec codec;
    private final AwaitedJobs awaited;
    private final Duration keep;
    private final Supplier<@Nullable Object> transaction;
    private final AtomicBoolean warned = new AtomicBoolean();

    /**
     * @param codec reads results
     * @param keep how long results are kept unless the call says otherwise
     * @param transaction the caller's transaction if jobs wait for it, else null
     */
    public Results(ResultStore store, ArgumentCodec codec, Duration keep, Supplier<@Nullable Object> transaction) {
        this.codec = codec;
        this.awaited = new AwaitedJobs(store);
        this.keep = keep;
        this.transaction = transaction;
    }

    /** The options of jobs that are submitted with these options. */
    public Options asking(Options options) {
        Options kept = options.members().containsKey(KeptResult.KEEP) ? options : KeptResult.keep(options, keep);
        return kept.with(KeptResult.REPLY_TO, awaited.client());
    }

    /** The handles of jobs that were submitted together, in their order. */
    public <V extends @Nullable Object> List<JobHandle<V>> handles(
            List<String> drafted, String client, List<@Nullable String> stored, boolean waits, Type type) {
        List<JobHandle<V>> handles = new ArrayList<>(stored.size());
        for (int i = 0; i < stored.size(); i++) {
            handles.add(handle(drafted.get(i), client, stored.get(i), waits, type));
        }
        return handles;
    }

    /** Whom the end of a job with these options is told. */
    public static String client(Options asking) {
        return String.valueOf(asking.members().get(KeptResult.REPLY_TO));
    }

    public void renewId() {
        awaited.renewId();
    }

    /**
     * The handle of a submitted job.
     *
     * @param drafted its jid before middleware
     * @param client whom its end is told: as {@link #client} says of its options
     * @param stored what storing it returned: null if it was refused
     * @param waits whether it waits for the caller's transaction
     */
    public <V extends @Nullable Object> JobHandle<V> handle(
            String drafted, String client, @Nullable String stored, boolean waits, Type type) {
        String jid = stored == null ? drafted : stored;
        Object began = waits ? transaction.get() : null;
        return new Handle<>(jid, client, stored != null, type, began == null ? null : new WeakReference<>(began));
    }

    /** What is known of a job now. */
    public <V extends @Nullable Object> JobResult<V> find(String jid, Type type) {
        byte[] found = awaited.find(jid);
        return found == null ? of(jid, State.UNKNOWN) : read(jid, found, type);
    }

    private static <V extends @Nullable Object> JobResult<V> of(String jid, State state) {
        return new JobResult<>(jid, state, null, null, null);
    }

    private static State state(byte[] found) {
        try {
            return STATES.getOrDefault(String.valueOf(Payload.parse(found).text("state")), State.UNKNOWN);
        } catch (InvalidPayloadException e) {
            return State.UNKNOWN;
        }
    }

    private static boolean isEnd(byte[] found) {
        State state = state(found);
        return state != State.RETRIED && state != State.PENDING;
    }

    private <V extends @Nullable Object> JobResult<V> read(String jid, byte[] found, Type type) {
        State state = state(found);
        if (state == State.UNKNOWN) {
            return new JobResult<>(jid, state, null, null, "What is kept of it is not a result");
        }
        Payload result = Payload.parse(found);
        String message = result.text("message");
        byte[] json = result.raw("value");
        V value = null;
        if (json != null && message == null && type != void.class && type != Void.class) {
            try {
                value = value(json, type);
            } catch (ArgumentException e) {
                message = "Its result can't be read as " + type.getTypeName() + ": " + e.getMessage();
            }
        }
        return new JobResult<>(jid, state, value, result.text("error"), message);
    }

    @SuppressWarnings("unchecked") // the codec returns a value of the type, which is that of the caller
    private <V extends @Nullable Object> V value(byte[] json, Type type) throws ArgumentException {
        ByteArrayOutputStream list = new ByteArrayOutputStream(json.length + 2);
        list.write('[');
        list.writeBytes(json);
        list.write(']');
        return (V) codec.decode(list.toByteArray(), List.of(new ParameterType("result", type)))[0];
    }

    /** A wait within a job takes a thread of its worker from the job that it waits for. */
    private void warnOfWaitInJob(String jid) {
        if (!warned.get()
                && StackWalker.getInstance()
                        .walk(frames ->
                                frames.anyMatch(frame -> frame.getClassName().equals(RUNS_JOBS)))
                && !warned.getAndSet(true)) {
            log.warn(
                    "A job waits for job {}, and keeps a thread of its worker meanwhile. If all threads wait for jobs of their own queues, none of these runs; let a batch or another job go on instead. This is logged once",
                    PayloadRules.shown(jid));
        }
    }

    @Override
    public void close() {
        awaited.close();
    }

    private final class Handle<V extends @Nullable Object> implements JobHandle<V> {

        private final String jid;
        private final String client;
        private final boolean accepted;
        private final Type type;
        private final @Nullable WeakReference<Object> began;

        Handle(String jid, String client, boolean accepted, Type type, @Nullable WeakReference<Object> began) {
            this.jid = jid;
            this.client = client;
            this.accepted = accepted;
            this.type = type;
            this.began = began;
        }

        @Override
        public String jid() {
            return jid;
        }

        @Override
        public boolean isAccepted() {
            return accepted;
        }

        @Override
        public JobResult<V> await(Duration atMost) throws InterruptedException {
            if (!accepted) {
                return of(jid, State.REFUSED);
            }
            if (began != null && began.get() != null && began.get() == transaction.get()) {
                throw new JobsException("Job " + jid + " is stored when this transaction has committed, so it can't end"
                        + " before; await it after the commit, or submit it with jobs.now()");
            }
            warnOfWaitInJob(jid);
            AwaitedJobs.Found found = awaited.await(jid, client, atMost, Results::isEnd);
            byte[] result = found.result();
            if (result != null) {
                return read(jid, result, type);
            }
            return of(jid, found.told() ? State.UNKNOWN : State.PENDING);
        }

        @Override
        public String toString() {
            return "Handle of job " + jid;
        }
    }
}
