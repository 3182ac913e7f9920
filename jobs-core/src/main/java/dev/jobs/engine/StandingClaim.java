package dev.jobs.engine;

import dev.jobs.JobStoreException;
import dev.jobs.engine.ClaimLine.Exchange;
import dev.jobs.redis.JobClaims;
import dev.jobs.redis.JobClaims.Stood;
import dev.jobs.redis.JobClaims.Waited;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The claim of an idle capsule that stands in Redis until there is a job in the queue that it prefers, so that a job needs one way to its worker
 * instead of two. For whoever has the fetcher's lock, but for what says so.
 *
 * <p>It never settles anything, and has a line of its own, so it neither waits for other exchanges nor makes them wait. Whether it was carried out
 * is known once its answer has come, or after it was repeated under its number.
 */
final class StandingClaim {

    private static final Logger log = LoggerFactory.getLogger(StandingClaim.class);

    /** A worker that froze may still be given jobs for so long. */
    private static final Duration LONGEST = Duration.ofSeconds(1);
    /** An answer that comes so much later may never come. */
    private static final Duration PATIENCE = Duration.ofMillis(200);

    private static final Duration REFUSED_PAUSE = Duration.ofSeconds(5);
    private static final int FEW_IN_VAIN = 3;

    private final int line;
    private final QueueOrder order;
    private final JobClaims claims;
    private final RunContext context;
    private final String queue;
    private final Duration atMost;
    private final boolean onlyQueue;

    private volatile @Nullable Exchange standing;
    private volatile long trusted;
    private volatile boolean proven;
    private volatile long notBefore;
    private volatile boolean mostlyInVain;
    private int inVain;
    private long number;

    /**
     * @param line no other's of the process
     * @param claims on a connection of its own
     */
    StandingClaim(CapsuleConfig capsule, int line, JobClaims claims, RunContext context) {
        this.line = line;
        this.order = new QueueOrder(capsule, context.environment().random());
        this.claims = claims;
        this.context = context;
        this.onlyQueue = capsule.weights().size() == 1;
        this.queue = capsule.queues().stream()
                .max(Comparator.comparingInt(name -> capsule.weights().getOrDefault(name, 0)))
                .orElseThrow();
        this.atMost = atMost(claims.timeout());
        this.notBefore = context.nanos();
    }

    /** So that its answer comes before the timeout of its connection; never 0, which would mean for ever. */
    private static Duration atMost(Duration timeout) {
        Duration half = Duration.ofMillis(Math.max(1, timeout.toMillis() / 2));
        return half.compareTo(LONGEST) < 0 ? half : LONGEST;
    }

    /** The queue at which it stands: the one with the highest weight, or the first. */
    String queue() {
        return queue;
    }

    /** Whether it was seen to work. Thread-safe. */
    boolean isProven() {
        return proven;
    }

    /** Whether nobody needs to tell of pushes to its queue. Thread-safe. */
    boolean isReliable() {
        return proven && isConnected() && isOfUse() && (!isOut() || isTrusted());
    }

    /** Whether one that stood in vain may be followed by another at once: not where a suspect may wait in a queue at which none stands. */
    boolean renewsItself() {
        return onlyQueue;
    }

    /** Whether a push to this queue will be noticed by it. Thread-safe. */
    boolean watches(String pushed) {
        return pushed.equals(queue) && isTrusted();
    }

    /** Whether there is one whose answer isn't overdue. */
    boolean isTrusted() {
        return isOut() && context.nanos() - trusted < 0;
    }

    /** Whether there is one that was neither answered nor withdrawn. */
    boolean isOut() {
        return standing != null;
    }

    /**
     * Whether one would be of use: not where each push is answered by many, or by others each time, and not where nobody would tell of
     * pushes to the other queues. Thread-safe.
     */
    boolean isOfUse() {
        return !mostlyInVain
                && context.nanos() - notBefore >= 0
                && (onlyQueue || context.hearsRings().get());
    }

    boolean isConnected() {
        return claims.isConnected();
    }

    /** Opens its connection. Returns whether there is one now. Thread-safe. */
    boolean connect() {
        try {
            claims.connect();
            return true;
        } catch (JobStoreException e) {
            log.debug("No claim can stand at queue {} for now", queue, e);
            return false;
        }
    }

    /**
     * Sends one. There must be none.
     *
     * @param want jobs at most; none of them is a suspect, for which others would have to wait
     * @param ahead how many of them have no place yet
     * @param ended is told of the answer, on any thread; of null if there will be none
     */
    void send(Incarnation incarnation, int want, int ahead, BiConsumer<Exchange, @Nullable Stood> ended) {
        number++;
        Exchange exchange =
                new Exchange(incarnation, line, number, want, false, order.next(), List.of(), ahead, context.nanos());
        standing = exchange;
        trusted = context.nanos() + atMost.plus(PATIENCE).toNanos();
        claims.stand(exchange.request(), queue, atMost)
                .whenComplete((stood, failure) -> ended.accept(exchange, failure == null ? stood : null));
    }

    /** An answer came, or none will. Returns whether it is of interest: not if the claim was withdrawn. */
    boolean ended(Exchange exchange, @Nullable Stood stood) {
        if (!exchange.equals(standing)) {
            return false;
        }
        standing = null;
        proven = stood != null && stood.waited() != Waited.REFUSED;
        if (stood == null) {
            return true;
        }
        if (stood.waited() == Waited.REFUSED) {
            notBefore = context.nanos() + REFUSED_PAUSE.toNanos();
        } else if (stood.waited() == Waited.PUSHED && stood.reply().claimed().isEmpty()) {
            inVain++;
            mostlyInVain = inVain > FEW_IN_VAIN;
        }
        return true;
    }

    /** A look found a job in this queue. */
    void found(String where) {
        if (where.equals(queue)) {
            inVain = 0;
            mostlyInVain = false;
        }
    }

    /** Whether the job under this token is one whose claim isn't answered yet, so that nobody can know of it. */
    boolean mayBring(String token) {
        Exchange out = standing;
        return out != null && token.startsWith(line + ":" + out.number() + ":");
    }

    /** Gives it up. Returns what is to be carried out to know whether it was: if it wasn't, it won't be any more. */
    Exchange withdraw() {
        Exchange withdrawn = standing;
        standing = null;
        if (withdrawn == null) {
            throw new IllegalStateException("There is none");
        }
        return withdrawn.withdrawn();
    }
}
