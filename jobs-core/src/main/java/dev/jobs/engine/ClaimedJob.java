package dev.jobs.engine;

import dev.jobs.Internal;
import dev.jobs.JobContext;
import dev.jobs.JobListener;
import dev.jobs.Payload;
import dev.jobs.codec.OneLine;
import dev.jobs.leases.Incarnation;
import dev.jobs.store.JobClaims.Claimed;
import dev.jobs.store.Settlement;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A job that this process holds, from claim to settlement. Exactly one party ends it: the processor that ran it, the
 * shutdown that hands it back, the loss of the lease, or the watch over timeouts that abandons its thread. Thread-safe.
 */
@Internal
public final class ClaimedJob implements JobContext {

    private enum State {
        CLAIMED,
        RUNNING,
        FINISHED,
        HANDED_BACK,
        LOST,
        ABANDONED
    }

    private static final Object[] NOTHING = {};

    private final Claimed claimed;
    private final Incarnation incarnation;
    private final long claimedNanos;
    private final BooleanSupplier stopping;

    // Guarded by this.
    private State state = State.CLAIMED;

    private @Nullable Thread runner;
    private long startedNanos;
    private boolean begun;

    /** Whether the application's code has begun with it. */
    private volatile boolean reachedCode;

    /** Of the capsule that claimed it; written before it waits there for a thread. */
    private ThreadPool.@Nullable Share share;

    /** What Redis is told of it; written before it waits for an exchange. */
    private @Nullable Settlement settlement;

    /** What parts know of it; replaced as a whole. */
    private volatile Object[] attached = NOTHING;

    /** Values that are shared within its execution; created for the first who asks, since most jobs have none. */
    private volatile @Nullable Map<String, Object> attributes;

    /** Null until it was parsed, and if it is no job; written after the three that follow. */
    private volatile @Nullable Payload parsed;

    // Read once, because they are asked for repeatedly while the job runs; empty if the payload has none.
    private String name = "";
    private String jid = "";

    /** What its context asks and tells. */
    private ContextParts parts = ContextParts.NONE;

    /** @param claimedNanos when it was claimed, on the engine's own clock */
    public ClaimedJob(Claimed claimed, Incarnation incarnation, long claimedNanos, BooleanSupplier stopping) {
        this.claimed = claimed;
        this.incarnation = incarnation;
        this.claimedNanos = claimedNanos;
        this.stopping = stopping;
    }

    public String token() {
        return claimed.token();
    }

    /** As Redis gave it. */
    public Claimed claimed() {
        return claimed;
    }

    /** What a part attached; null if none did. */
    @Nullable public <T> T part(Class<T> type) {
        for (Object each : attached) {
            if (type.isInstance(each)) {
                return type.cast(each);
            }
        }
        return null;
    }

    /** The same, which is made for the first that asks. */
    public synchronized <T> T part(Class<T> type, Supplier<T> first) {
        T known = part(type);
        if (known == null) {
            known = first.get();
            attach(known);
        }
        return known;
    }

    /** Keeps what a part knows of this execution, by its type. */
    public synchronized void attach(Object state) {
        Object[] all = Arrays.copyOf(attached, attached.length + 1);
        all[all.length - 1] = state;
        attached = all;
    }

    /** It is ready to be run, and waits for a thread. */
    void waitsIn(ThreadPool.Share capsule) {
        share = capsule;
    }

    /** Where it waits, or has waited. */
    ThreadPool.Share share() {
        return Objects.requireNonNull(share);
    }

    /** It has ended for this process, and waits for an exchange. */
    void settleWith(Settlement end) {
        settlement = end;
    }

    /** What Redis is told of it, once it has ended. */
    public Settlement settlement() {
        return Objects.requireNonNull(settlement);
    }

    /** Its number among those that were claimed with it. */
    int index() {
        String[] parts = token().split(":", 4);
        return parts.length < 4 ? 0 : Integer.parseInt(parts[2]);
    }

    public byte[] stored() {
        return claimed.payload();
    }

    public Incarnation incarnation() {
        return incarnation;
    }

    public long claimedNanos() {
        return claimedNanos;
    }

    /** The stored bytes turned out to be a JSON object. */
    void parsed(Payload payload, ContextParts parts) {
        this.name = Objects.requireNonNullElse(payload.jobName(), "");
        this.jid = Objects.requireNonNullElse(payload.jid(), "");
        this.parts = parts;
        this.parsed = payload;
    }

    /** The application's code begins with it. Returns false if it was taken away before, so that it must not. */
    synchronized boolean reachesCode() {
        if (isOurs()) {
            reachedCode = true;
        }
        return reachedCode;
    }

    /** Whether the application's code has begun with it. */
    public boolean hasReachedCode() {
        return reachedCode;
    }

    /** Whether the stored bytes were read and are a JSON object. */
    public boolean isParsed() {
        return parsed != null;
    }

    /** The current thread begins to run it. Returns false if it must no longer run. */
    public synchronized boolean begin(long nanos) {
        if (state != State.CLAIMED) {
            return false;
        }
        state = State.RUNNING;
        runner = Thread.currentThread();
        startedNanos = nanos;
        begun = true;
        return true;
    }

    /** Whether a thread has begun to run it. No longer changes once it was taken away. */
    synchronized boolean hasBegun() {
        return begun;
    }

    /** The current thread has run it, and is not interrupted for it any more. Returns whether the job was its own. */
    public synchronized boolean finish() {
        runner = null;
        if (state != State.RUNNING) {
            return false;
        }
        state = State.FINISHED;
        return true;
    }

    /** Takes it away to be handed back. Returns whether it could still be taken. */
    synchronized boolean handBack() {
        return end(State.HANDED_BACK);
    }

    /** Another process has it now. Returns whether this one still believed to hold it. */
    synchronized boolean lose() {
        return end(State.LOST);
    }

    private boolean end(State end) {
        if (!isOurs()) {
            return false;
        }
        state = end;
        return true;
    }

    /** Interrupts the thread that runs it, after it was taken away. */
    synchronized void interrupt() {
        if (state != State.FINISHED && runner != null) {
            runner.interrupt();
        }
    }

    /** Whether a thread runs it, for this process or, since its lease was lost, in vain. */
    synchronized boolean isOnThread() {
        return (state == State.RUNNING || state == State.LOST) && runner != null;
    }

    /** Takes it away from its thread, which goes on with it in vain. Returns that thread. */
    synchronized @Nullable Thread leaveBehind() {
        state = State.ABANDONED;
        Thread abandoned = runner;
        runner = null;
        return abandoned;
    }

    public synchronized boolean isAbandoned() {
        return state == State.ABANDONED;
    }

    /** The thread that runs it, or null. */
    public synchronized @Nullable Thread runner() {
        return runner;
    }

    /** When it was started, on the engine's own clock; meaningless before. */
    public synchronized long startedNanos() {
        return startedNanos;
    }

    /** Whether this process may still end it: it is neither handed back nor lost nor finished. */
    public synchronized boolean isOurs() {
        return state == State.CLAIMED || state == State.RUNNING;
    }

    /** Whether it runs, or will be started in time. */
    synchronized boolean mayEndByItself() {
        return state == State.RUNNING || state == State.CLAIMED && incarnation.isFresh();
    }

    /** Whether it has ended and waits to be settled. */
    public synchronized boolean isFinished() {
        return state == State.FINISHED;
    }

    /** How it ended for this process, after it was taken away: handed back or lost. */
    synchronized JobListener.Ending takenBy() {
        return state == State.HANDED_BACK ? JobListener.Ending.HANDED_BACK : JobListener.Ending.LOST;
    }

    @Override
    public String jid() {
        return parsed == null ? "" : jid;
    }

    @Override
    public String name() {
        return parsed == null ? "" : name;
    }

    @Override
    public String queue() {
        return claimed.queue();
    }

    @Override
    public Payload payload() {
        Payload known = parsed;
        if (known == null) {
            throw new IllegalStateException("What was claimed as " + token() + " is not a job");
        }
        return known;
    }

    @Override
    public int attempt() {
        Payload known = parsed;
        Long count = known == null ? null : known.integer("retry_count");
        return count == null ? 1 : (int) Math.max(1, Math.min(Integer.MAX_VALUE - 2, count) + 2);
    }

    @Override
    public int recoveries() {
        return claimed.recoveries();
    }

    @Override
    public boolean isStopping() {
        return stopping.getAsBoolean();
    }

    @Override
    public boolean holdsLease() {
        return isOurs() && incarnation.holdsLease();
    }

    @Override
    public boolean isCancelled() {
        return parts().isCancelled(this);
    }

    @Override
    public Optional<Duration> remaining() {
        return Optional.ofNullable(parts().remaining(this));
    }

    @Override
    public void message(String message) {
        parts().message(this, message);
    }

    @Override
    public void progress(long done, long total) {
        payload(); // or it is no job
        parts().progress(this, done, total);
    }

    @Override
    public void log(String text) {
        payload(); // or it is no job
        parts().log(this, text);
    }

    private ContextParts parts() {
        return parsed == null ? ContextParts.NONE : parts;
    }

    @Override
    public synchronized Map<String, Object> attributes() {
        if (attributes == null) {
            attributes = new ConcurrentHashMap<>();
        }
        return attributes;
    }

    @Override
    public <F> Optional<F> feature(Class<F> type) {
        return Optional.ofNullable(parts().feature(this, type));
    }

    @Override
    public String toString() {
        return OneLine.of(name()) + " (jid " + OneLine.of(jid()) + ", queue " + queue() + ")";
    }
}
