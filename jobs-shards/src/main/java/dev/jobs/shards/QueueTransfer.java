package dev.jobs.shards;

import dev.jobs.Internal;
import dev.jobs.JobStoreException;
import dev.jobs.JobsException;
import dev.jobs.admin.BulkPass;
import dev.jobs.admin.ProcessesAdmin;
import dev.jobs.admin.QueueMoves;
import dev.jobs.admin.Workforce;
import dev.jobs.limits.LimitStates;
import dev.jobs.lists.JobQueues;
import dev.jobs.processes.ProcessRegistry;
import dev.jobs.recurring.RecurringJobStore;
import dev.jobs.redis.RedisConnection;
import dev.jobs.redis.RedisConnections;
import dev.jobs.shards.TransferReport.Left;
import dev.jobs.shards.TransferSource.State;
import dev.jobs.shards.TransferSource.Taken;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Duration;
import java.util.EnumMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.BooleanSupplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Transfers the jobs of a queue from one shard to another, each a whole installation with a Redis or a key prefix of
 * its own, while workers run and clients enqueue. Workers have to serve the queue in both shards, and clients to
 * enqueue to the target, before it begins.
 *
 * <p>Jobs go in numbered slices of at most a hundred: one is taken out of the source, stored in the target under its
 * number, which stores it once, and then forgotten by the source. All of this is kept in Redis, so any process can go
 * on with it after a crash, and several at the same time do no harm: {@link #run} finds the open transfer.
 *
 * <p>Jobs that workers hold, and those of which something stays in the source, such as a batch, end there; the report
 * says how many are {@linkplain TransferReport#left left}. Run it again until nothing is, then {@link #finish} it.
 *
 * <p>Not thread-safe. Each call throws {@link JobStoreException} if a Redis can't be reached or refuses it; the
 * transfer stays as it is, and the next call goes on.
 */
public final class QueueTransfer implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(QueueTransfer.class);

    private static final int ID_BYTES = 8;
    private static final int MARK_BYTES = 4;
    private static final Duration LAST_LOOK = Duration.ofMinutes(2);

    /** How often jobs may come while the transfer ends. */
    private static final int MOST_ENDS = 10;

    /**
     * One end of a transfer.
     *
     * @param name of the shard, for people
     * @param namespace that of its recurring jobs
     */
    @Internal
    public record Shard(String name, RedisConnections redis, String namespace) {}

    private final Shard from;
    private final Shard to;
    private final String queue;
    private final TransferOptions options;
    private final RedisConnection sourceConnection;
    private final RedisConnection targetConnection;
    private final TransferSource source;
    private final TransferTarget target;
    private final RecurringJobStore recurring;
    private final Clock clock;
    private final RandomGenerator random;
    private TransferPass pass;

    /** Null until the pass comes to parked jobs. */
    private @Nullable ParkedWalk parked;

    /** Where another process was in the parked jobs; empty if it was not there. */
    private String savedWalk = "";

    private Map<Left, Long> left = Map.of();
    private boolean complete;
    private long last;

    /** @throws IllegalArgumentException if no queue can have that name */
    @Internal
    public QueueTransfer(Shard from, Shard to, String queue, TransferOptions options) {
        this(from, to, queue, options, Clock.systemUTC(), new SecureRandom());
    }

    /** @param random for the id of the transfer and the marks of its slices */
    QueueTransfer(Shard from, Shard to, String queue, TransferOptions options, Clock clock, RandomGenerator random) {
        QueueMoves.checkName(queue);
        this.from = from;
        this.to = to;
        this.queue = queue;
        this.options = options;
        this.clock = clock;
        this.random = random;
        this.sourceConnection = from.redis().open("jobs-transfer");
        this.targetConnection = to.redis().open("jobs-transfer");
        this.source = new TransferSource(sourceConnection, from.redis().keys(), queue);
        this.target = new TransferTarget(targetConnection, to.redis().keys(), queue);
        this.recurring = new RecurringJobStore(sourceConnection, from.redis().keys(), from.namespace());
        this.pass = new TransferPass(queue, staying(), options.dead());
    }

    private TransferPass newPass() {
        parked = null;
        savedWalk = "";
        return new TransferPass(queue, staying(), options.dead());
    }

    private StayingJobs staying() {
        return new StayingJobs(recurring::locks, options.unserved() ? null : this::workforceThere);
    }

    private Workforce workforceThere() {
        return new ProcessesAdmin(
                        new ProcessRegistry(targetConnection, to.redis().keys()))
                .workforce();
    }

    /**
     * Begins the transfer, or goes on with the open one where the last run of any process stopped, so that short runs
     * come to all places, too. Ends when nothing more can go, or the time is over.
     *
     * @param atMost how long, checked after every hundred jobs
     * @throws JobsException if it may not begin, or the shards don't fit each other; nothing was moved then
     */
    public TransferReport run(Duration atMost) {
        BooleanSupplier mayGoOn = BulkPass.until(atMost);
        String id = begin();
        boolean resumed = !pass.hasBegun() && goOn(source.pass());
        return run(id, resumed, mayGoOn);
    }

    private boolean goOn(String saved) {
        String[] lines = saved.split("\n", 2);
        boolean resumed = pass.goOn(lines[0]);
        if (resumed && lines.length > 1) {
            savedWalk = lines[1];
        }
        return resumed;
    }

    private String saved() {
        String walk = parked == null ? savedWalk : parked.saved();
        String saved = pass.saved();
        return saved.isEmpty() || walk.isEmpty() ? saved : saved + "\n" + walk;
    }

    /** @param resumed whether the pass may have begun long ago: jobs may have come to where it has been */
    private TransferReport run(String id, boolean resumed, BooleanSupplier mayGoOn) {
        boolean mayBeOld = resumed;
        complete = false;
        left = Map.of();
        deliver(id, source.look(id));
        boolean over;
        do {
            step(id);
            over = pass.place() == null && pass.foundNothing() && !mayBeOld;
            if (pass.place() == null) {
                mayBeOld = false;
                complete(pass);
                pass = newPass();
            }
        } while (!over && mayGoOn.getAsBoolean());
        source.note(id, saved());
        return report();
    }

    /** How far the transfer is. What is left is known only to the object that ran it. */
    public TransferReport status() {
        return report();
    }

    /**
     * Ends a transfer after which nothing is left in the source. Looks at all places once more, for at most two
     * minutes, and again after the end: a job that a worker had on its way while its place was looked at goes, too.
     *
     * @throws JobsException if jobs are left; the transfer goes on
     */
    public TransferReport finish() {
        State open = source.state();
        if (open == null) {
            return report();
        }
        Map<TransferReport.Place, Long> moved = new EnumMap<>(TransferReport.Place.class);
        TransferReport last;
        int ends = 0;
        do {
            pass = newPass(); // what an earlier run saw may be hours old
            last = run(begin(), false, BulkPass.until(LAST_LOOK));
            if (!last.isEmpty() || ++ends > MOST_ENDS) {
                throw new JobsException("The transfer can't be finished yet. " + last.summary()
                        + ". Run it again once these jobs have ended, or abandon it to leave them in '" + from.name()
                        + "'");
            }
            last.moved().forEach((place, jobs) -> moved.merge(place, jobs, Long::sum));
            close(last.id());
        } while (isAnyLeft());
        TransferReport all = over(last, moved);
        log.info("The transfer is finished. {}", all.summary());
        return all;
    }

    /** Looks at all places where jobs of the queue may be, and takes none. */
    private boolean isAnyLeft() {
        TransferPass look = newPass();
        lookElsewhere(look);
        while (look.place() != null) {
            List<TransferSlice.Entry> page = source.read(look.place(), look.from());
            if (page.isEmpty()) {
                look.nextPlace();
            } else if (!look.choose(page).jobs().isEmpty()) {
                return true;
            }
        }
        return look.held() + look.parked() > 0 || !look.left().isEmpty();
    }

    /**
     * Ends a transfer, whatever is left. Jobs that are on their way go back to the source, unless the target has them
     * already; those that arrived stay in the target.
     */
    public TransferReport abandon() {
        State open = source.state();
        if (open == null) {
            return report();
        }
        boolean closed = false;
        while (!closed) {
            TransferSlice slice = source.look(open.id()).slice();
            if (slice != null) {
                withdraw(open.id(), slice);
            }
            closed = source.close(open.id());
        }
        TransferReport last = report(open);
        log.info("The transfer is abandoned. {}", last.summary());
        return over(last, last.moved());
    }

    private void withdraw(String id, TransferSlice slice) {
        switch (target.refuse(id, slice)) {
            case STORED -> source.settle(id, slice);
            case VOID, LATE -> source.giveBack(id, slice); // late: Redis lost its last changes, and twice beats never
            case UNKNOWN -> throw strange(id, waits(slice));
        }
    }

    private void close(String id) {
        if (!source.close(id)) {
            throw new JobsException(
                    "Another process goes on with the transfer of queue '" + queue + "'; stop it first");
        }
    }

    /** The id of the open transfer, or of a new one. */
    private String begin() {
        State open = source.state();
        if (open != null) {
            return known(open.id());
        }
        check();
        String id = hex(ID_BYTES);
        target.expect(id);
        String begun = source.start(id, to.name(), clock.instant());
        if (!begun.equals(id)) {
            target.forget(id);
        }
        if (begun.isEmpty()) {
            throw new JobsException("'" + from.name() + "' and '" + to.name()
                    + "' are the same Redis with the same key prefix, so there is nothing to transfer");
        }
        if (!begun.equals(id)) { // another process began at the same time, maybe with another target
            return known(begun);
        }
        log.info("The transfer {} of queue '{}' from '{}' to '{}' begins", id, queue, from.name(), to.name());
        return id;
    }

    /** Makes sure that the target knows the transfer, before a slice leaves the queue. */
    private String known(String id) {
        if (target.stored(id) == null) {
            throw strange(id, "Nothing was moved now");
        }
        return id;
    }

    private void check() {
        JobQueues queues = new JobQueues(targetConnection, to.redis().keys());
        if (queues.isBroken(queue)) {
            throw new JobsException("The key of queue '" + queue + "' in '" + to.name()
                    + "' holds another type than it should; remove that key first. Nothing was moved");
        }
        JobQueues here = new JobQueues(sourceConnection, from.redis().keys());
        if (!Objects.equals(here.rule(queue), queues.rule(queue))) {
            throw new JobsException("Queue '" + queue + "' has another order in '" + to.name() + "' than in '"
                    + from.name() + "'; give it the same jobs.ordered-queues first. Nothing was moved");
        }
        if (new TransferSource(targetConnection, to.redis().keys(), queue).state() != null) {
            throw new JobsException("Queue '" + queue + "' is being transferred from '" + to.name()
                    + "' to another shard; finish or abandon that first. Nothing was moved");
        }
        if (!options.unserved() && workforceThere().workers(queue) == 0) {
            throw new JobsException("No live worker takes jobs of queue '" + queue + "' in '" + to.name()
                    + "'; deploy workers that serve it in both shards first. Nothing was moved");
        }
    }

    private JobsException strange(String id, String jobs) {
        return new JobsException("The transfer " + id + " of queue '" + queue + "' is open in '" + from.name()
                + "', and '" + to.name() + "' doesn't know it: it leads to another shard, or '" + to.name()
                + "' lost its data. " + jobs);
    }

    private String waits(TransferSlice slice) {
        return "The " + slice.jobs().size() + " jobs of slice " + slice.number() + " wait in '" + from.name()
                + "', out of the queue, until a run with the right target goes on";
    }

    /** Takes one slice and delivers it, or passes over a page without jobs that may go. */
    private void step(String id) {
        if (!pass.hasBegun()) {
            lookElsewhere(pass);
        }
        List<TransferSlice.Entry> page = List.of();
        TransferSlice.Place place = pass.place();
        while (place != null && page.isEmpty()) {
            page = source.read(place, pass.from());
            if (page.isEmpty()) {
                if (place == TransferSlice.Place.QUEUE && takeParked(id)) {
                    return;
                }
                pass.nextPlace();
                place = pass.place();
                if (place == TransferSlice.Place.RETRY) { // what is held now may come there meanwhile
                    lookElsewhere(pass);
                }
            }
        }
        if (place == null) {
            return;
        }
        long from = pass.from();
        TransferPass.Candidates chosen = pass.choose(page);
        if (chosen.jobs().isEmpty()) {
            return;
        }
        Taken taken =
                source.take(id, last + 1, hex(MARK_BYTES), place, from, clock.instant(), chosen.jobs(), chosen.jids());
        pass.note(taken.fates());
        if (taken.fates().isEmpty()) { // another slice goes first, or another process is faster
            pass.wasHeldUp();
        }
        deliver(id, taken);
    }

    /**
     * Takes one slice of parked jobs, which are older than those in the queue, or passes over a page of them. Returns
     * false if there are no more.
     */
    private boolean takeParked(String id) {
        ParkedWalk walk = parked;
        if (walk == null) {
            LimitStates limits = new LimitStates(sourceConnection, from.redis().keys());
            walk = new ParkedWalk(source, pass.staying(), queue, limits.parked() == 0 ? List.of() : limits.names());
            walk.goOn(savedWalk);
            parked = walk;
        }
        ParkedWalk.Some some = walk.next();
        if (some == null) {
            return false;
        }
        if (some.jobs().isEmpty()) {
            return true;
        }
        Taken taken = source.takeParked(
                id, last + 1, hex(MARK_BYTES), some.limit(), clock.instant(), some.jobs(), some.jids());
        walk.note(some, taken.fates());
        pass.noteParked(taken.fates());
        if (taken.fates().isEmpty()) {
            pass.wasHeldUp();
        }
        deliver(id, taken);
        return true;
    }

    private void deliver(String id, Taken taken) {
        if (taken.status() == TransferSource.Status.CLOSED) {
            throw new JobsException("The transfer of queue '" + queue + "' was ended by another process");
        }
        last = taken.last();
        TransferSlice slice = taken.slice();
        if (slice == null) {
            return;
        }
        switch (target.store(id, slice)) {
            case STORED -> source.settle(id, slice);
            case VOID -> {
                source.giveBack(id, slice);
                pass.wasHeldUp();
            }
            case UNKNOWN -> throw strange(id, waits(slice));
            case LATE -> {
                pass.wasHeldUp(); // a faster process may have put it back
                TransferSlice now = source.look(id).slice();
                if (now != null && now.name().equals(slice.name())) {
                    throw new JobsException("'" + from.name() + "' has a slice " + slice.number() + " of the transfer "
                            + id + " that is older than what '" + to.name() + "' has: '" + from.name()
                            + "' lost its last changes. Abandon the transfer and begin another one; up to a hundred"
                            + " jobs may run twice");
                }
            }
        }
    }

    private void complete(TransferPass done) {
        long waited = source.waiting();
        lookElsewhere(done);
        long waiting = Math.max(waited, source.waiting()); // a job may go from the queue to a worker, or come back
        Map<Left, Long> all = new EnumMap<>(Left.class);
        all.putAll(done.left());
        add(all, Left.HELD, done.held());
        add(all, Left.PARKED, done.parked());
        add(all, Left.NEW, waiting - done.staysInQueue());
        left = all;
        complete = done.sawAll();
    }

    private void lookElsewhere(TransferPass looking) {
        LimitStates limits = new LimitStates(sourceConnection, from.redis().keys());
        looking.saw(source.held(), StayingJobs.parked(limits, queue));
    }

    private static void add(Map<Left, Long> all, Left why, long jobs) {
        if (jobs > 0) {
            all.put(why, jobs);
        }
    }

    private TransferReport report() {
        return report(source.state());
    }

    private TransferReport report(@Nullable State state) {
        if (state == null) {
            return new TransferReport(queue, "", to.name(), false, Map.of(), 0, left, complete, 0);
        }
        Map<TransferReport.Place, Long> moved = new EnumMap<>(TransferReport.Place.class);
        state.moved().forEach((place, jobs) -> moved.merge(TransferReport.Place.of(place), jobs, Long::sum));
        long arrived = moved.values().stream().mapToLong(Long::longValue).sum();
        Long stored = target.stored(state.id());
        long missing = Math.max(0, arrived - (stored == null ? 0 : stored));
        return new TransferReport(
                queue, state.id(), state.to(), true, moved, source.onTheWay(), left, complete, missing);
    }

    private static TransferReport over(TransferReport last, Map<TransferReport.Place, Long> moved) {
        return new TransferReport(
                last.queue(), last.id(), last.to(), false, moved, 0, last.left(), last.complete(), last.missing());
    }

    private String hex(int bytes) {
        byte[] some = new byte[bytes];
        random.nextBytes(some);
        return HexFormat.of().formatHex(some);
    }

    /** Closes both connections; the transfer stays open. */
    @Override
    public void close() {
        sourceConnection.close();
        targetConnection.close();
    }
}
