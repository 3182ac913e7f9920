package dev.jobs.handover;

import dev.jobs.Internal;
import dev.jobs.JobStoreException;
import dev.jobs.engine.AwaitingClaim;
import dev.jobs.engine.CapsuleConfig;
import dev.jobs.engine.ClaimLine.Exchange;
import dev.jobs.engine.QueueOrder;
import dev.jobs.engine.RunContext;
import dev.jobs.handover.StandingCall.Stood;
import dev.jobs.handover.StandingCall.Waited;
import dev.jobs.leases.Incarnation;
import dev.jobs.store.ClaimGate;
import dev.jobs.store.JobClaims;
import dev.jobs.store.JobClaims.Reply;
import dev.jobs.store.JobClaims.Request;
import dev.jobs.store.JobClaims.Status;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The claim of an idle capsule that stands in Redis until a job arrives in the queue that the capsule prefers, so that
 * the job needs one trip to its worker instead of two. For the thread that holds the fetcher's lock, except for the
 * methods that say otherwise.
 *
 * <p>It settles nothing and has a line of its own, so it neither waits for other exchanges nor delays them. Whether it
 * took effect is known once its answer has arrived, or after it was repeated under its number.
 */
@Internal
public final class StandingClaim implements AwaitingClaim {

    private static final Logger log = LoggerFactory.getLogger(StandingClaim.class);

    /** How long a claim stands at most, and so how long a frozen worker may still be given jobs. */
    private static final Duration LONGEST = Duration.ofSeconds(1);
    /** An answer that is overdue by more may never arrive. */
    private static final Duration PATIENCE = Duration.ofMillis(200);

    private static final Duration REFUSED_PAUSE = Duration.ofSeconds(5);
    /** After more answers in a row than this without a job, no claim stands for a while. */
    private static final int FEW_USELESS = 3;

    private final int line;
    private final QueueOrder order;
    private final StandingCall call;
    private final RunContext context;
    private final Owner owner;
    private final List<String> preferred;
    private final Duration atMost;
    private final boolean onlyQueue;

    private volatile @Nullable Exchange standing;
    private volatile String at = "";
    private volatile long trustedUntil;
    private volatile boolean proven;
    private volatile long notBefore;
    private volatile boolean mostlyUseless;
    private int useless;
    private long number;

    /**
     * @param line used by no other part of the process
     * @param claims on a connection that nothing else uses
     */
    public StandingClaim(CapsuleConfig capsule, int line, JobClaims claims, RunContext context, Owner owner) {
        this.line = line;
        this.order = new QueueOrder(capsule, context.environment().random());
        this.call = StandingCall.of(claims);
        this.context = context;
        this.owner = owner;
        this.onlyQueue = capsule.weights().size() == 1;
        this.preferred = capsule.queues().stream()
                .sorted(Comparator.comparingInt(name -> -capsule.weights().getOrDefault(name, 0)))
                .toList();
        this.atMost = atMost(call.timeout());
        this.notBefore = context.nanos();
    }

    /** Short enough for the answer to arrive before the connection's timeout; never 0, which would mean for ever. */
    private static Duration atMost(Duration timeout) {
        Duration half = Duration.ofMillis(Math.max(1, timeout.toMillis() / 2));
        return half.compareTo(LONGEST) < 0 ? half : LONGEST;
    }

    /**
     * The queue at which it stands: the one with the highest weight, or the first, but none that may be shut: while it
     * is, its jobs would end the wait in vain; and none that is ordered, whose jobs don't pass its list. Empty if
     * there is no other. Thread-safe.
     */
    @Override
    public String queue() {
        for (String queue : preferred) {
            if (!context.gate().mayShut(queue) && call.isPossibleAt(queue)) {
                return queue;
            }
        }
        return "";
    }

    @Override
    public boolean isReliable() {
        return proven && call.isConnected() && isOfUse() && (!isOut() || isTrusted());
    }

    @Override
    public boolean watches(String pushed) {
        return pushed.equals(at) && isTrusted();
    }

    @Override
    public String watched() {
        return isTrusted() ? at : "";
    }

    @Override
    public boolean isTrusted() {
        return isOut() && context.nanos() - trustedUntil < 0;
    }

    @Override
    public boolean isOut() {
        return standing != null;
    }

    /**
     * Whether a claim would be of use: not where many processes answer each push, or others always answer first, and
     * not where pushes to the other queues would go unnoticed.
     */
    private boolean isOfUse() {
        return !mostlyUseless
                && context.nanos() - notBefore >= 0
                && !queue().isEmpty()
                && (onlyQueue || context.hearsRings().get());
    }

    @Override
    public boolean connect() {
        if (!isOfUse() || call.isConnected()) {
            return false;
        }
        try {
            call.connect();
            return true;
        } catch (JobStoreException e) {
            log.debug("No claim can stand at queue {} for now", queue(), e);
            return false;
        }
    }

    /**
     * Leaves a claim in Redis for the jobs that are pushed next, unless one is out or it would be of no use. It takes
     * no jobs of queues that may be shut: other exchanges may take as many as may run here while it stands.
     *
     * @param want jobs at most; none of them is a suspect, for which others would have to wait
     * @param ahead how many of them are beyond the free threads
     * @return whether it did
     */
    @Override
    public boolean stand(Incarnation incarnation, int want, int ahead) {
        if (isOut() || !isOfUse() || !call.isConnected()) {
            return false;
        }
        number++;
        List<String> from = order.next();
        ClaimGate gate = context.gate().standingClaimGate(from);
        long now = context.nanos();
        String mark = Request.newMark(context.environment().random(), now);
        Request request = new Request(incarnation.id(), line, number, mark, want, 0, from, List.of(), gate);
        Exchange exchange = new Exchange(incarnation, request, List.of(), ahead, now);
        String queue = queue();
        at = queue;
        standing = exchange;
        trustedUntil = context.nanos() + atMost.plus(PATIENCE).toNanos();
        // Handling the answer on the connection's thread saves waking the fetcher's, which costs about as much as Redis
        // does.
        call.stand(request, queue, atMost)
                .whenComplete(
                        (stood, failure) -> owner.runOrDefer(() -> answered(exchange, failure == null ? stood : null)));
        return true;
    }

    /** @param stood null if there will be no answer */
    private void answered(Exchange exchange, @Nullable Stood stood) {
        if (!exchange.equals(standing)) {
            return; // withdrawn
        }
        standing = null;
        note(stood);
        if (stood == null) {
            owner.repeat(exchange.withdrawn()); // it may still reach Redis, and its answer would be lost
            return;
        }
        Reply reply = stood.reply();
        if (reply.status() != Status.OK || !reply.brokenQueues().isEmpty()) {
            owner.repeat(exchange);
            return;
        }
        // After a claim without jobs, a suspect may be waiting in a queue at which no claim stands.
        boolean mayStandAgain =
                !exchange.isFilledBy(reply) && (onlyQueue || !reply.claimed().isEmpty());
        owner.stood(exchange, reply, mayStandAgain);
    }

    private void note(@Nullable Stood stood) {
        boolean works = stood != null && stood.waited() != Waited.REFUSED;
        boolean changed = works != proven;
        proven = works;
        if (stood != null && stood.waited() == Waited.REFUSED) {
            notBefore = context.nanos() + REFUSED_PAUSE.toNanos();
        } else if (stood != null
                && stood.waited() == Waited.PUSHED
                && stood.reply().claimed().isEmpty()) {
            useless++;
            mostlyUseless = useless > FEW_USELESS;
        }
        if (changed) {
            owner.reliabilityChanged();
        }
    }

    @Override
    public void found(String where) {
        if (where.equals(at)) {
            useless = 0;
            mostlyUseless = false;
        }
    }

    @Override
    public boolean mayBring(String token) {
        Exchange out = standing;
        return out != null && token.startsWith(line + ":" + out.request().number() + ":");
    }

    @Override
    public Exchange withdraw() {
        Exchange withdrawn = standing;
        standing = null;
        if (withdrawn == null) {
            throw new IllegalStateException("No claim is out");
        }
        return withdrawn.withdrawn();
    }
}
