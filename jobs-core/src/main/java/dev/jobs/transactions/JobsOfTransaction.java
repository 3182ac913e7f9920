package dev.jobs.transactions;

import dev.jobs.BulkEndedException.State;
import dev.jobs.JobStoreException;
import dev.jobs.client.CheckedJob;
import dev.jobs.client.Enqueuer;
import dev.jobs.client.PayloadRules;
import dev.jobs.client.ReadyJob;
import dev.jobs.client.WaitingJobs;
import dev.jobs.store.JobPushes;
import dev.jobs.transactions.CommittedWork.Unit;
import dev.jobs.unique.Duplicates;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The jobs that wait for the commit of one transaction. Once it has committed, they are sent in their order, several
 * pushes at a time, on another thread: the transaction's own holds a connection to the database, and waits only as long
 * as Redis answers. What Redis does not take within the command timeout is repeated, each push under its number, so that
 * a job is stored once. Used by one thread at a time.
 */
final class JobsOfTransaction implements Transactions.Work, WaitingJobs {

    private static final Logger log = LoggerFactory.getLogger(JobsOfTransaction.class);

    /** How many pushes are on their way at once: a transaction must leave lanes to other callers. */
    private static final int PUSHES_AT_ONCE = 4;

    private static final int JIDS_PER_LINE = 100;

    private final Transactions.Transaction transaction;
    private final Enqueuer enqueuer;
    private final CommittedWork background;
    private final @Nullable Outbox outbox;
    private final List<CheckedJob> jobs = new ArrayList<>();

    /** The first jobs, if they are in the outbox. */
    private final List<ReadyJob> kept = new ArrayList<>();

    /** One push, which may be on its way. */
    private static final class Slice {
        private final String shard;
        private final List<ReadyJob> jobs = new ArrayList<>();
        private int bytes;
        private JobPushes.@Nullable Sent sent;

        /** What it takes of the room for what waits. */
        private int room;

        /** Whether its first answer was waited for: only then is it known what a failure means. */
        private boolean awaited;

        Slice(String shard) {
            this.shard = shard;
        }
    }

    /** @param outbox keeps the jobs as part of the transaction; null if they are sent after it */
    JobsOfTransaction(
            Transactions.Transaction transaction,
            Enqueuer enqueuer,
            CommittedWork background,
            @Nullable Outbox outbox) {
        this.transaction = transaction;
        this.enqueuer = enqueuer;
        this.background = background;
        this.outbox = outbox;
    }

    /** @throws dev.jobs.InvalidJobException if one of the jobs is unique and there is an outbox */
    @Override
    public void add(Collection<CheckedJob> more) {
        if (outbox != null) {
            more.forEach(job -> Duplicates.checkHasNoLock(job, "the outbox", "enqueue it through now()"));
        }
        if (transaction.isCommitting()) {
            keep(more);
        }
        jobs.addAll(more);
    }

    /** All of them, as they would be stored now. */
    List<ReadyJob> ready() {
        return jobs.stream().map(enqueuer::finishOfAnySize).toList();
    }

    @Override
    public int mark() {
        return jobs.size();
    }

    @Override
    public void rollBackTo(int mark) {
        jobs.subList(mark, jobs.size()).clear();
        kept.subList(Math.min(mark, kept.size()), kept.size()).clear();
    }

    @Override
    public void committing() {
        keep(jobs);
    }

    private void keep(Collection<CheckedJob> some) {
        if (outbox == null || some.isEmpty() || !outbox.isReady()) {
            return;
        }
        List<ReadyJob> ready = some.stream().map(enqueuer::finishOfAnySize).toList();
        outbox.keep(ready.stream()
                .map(job -> new Outbox.Entry(job.queue(), job.jid(), job.at(), job.payload()))
                .toList());
        kept.addAll(ready);
    }

    @Override
    public void committed() {
        if (outbox != null && !kept.isEmpty()) {
            outbox.committed();
            enqueuer.events().stored(kept);
        }
        if (kept.size() < jobs.size()) {
            send(jobs.subList(kept.size(), jobs.size()));
        }
    }

    private void send(List<CheckedJob> unsentJobs) {
        Map<String, List<Slice>> shards = new LinkedHashMap<>();
        for (Slice slice : slices(unsentJobs)) {
            shards.computeIfAbsent(slice.shard, none -> new ArrayList<>()).add(slice);
        }
        long deadline = System.nanoTime() + background.patience().toNanos();
        if (!enqueuer.store().waitsForServer()) {
            shards.forEach((shard, slices) -> send(shard, slices, deadline));
            return;
        }
        List<CommittedWork.Begun> begun = new ArrayList<>();
        shards.forEach((shard, slices) -> {
            if (takeRoom(shard, slices)) {
                begun.add(background.begin(shard, () -> send(shard, slices, deadline)));
            }
        });
        begun.forEach(CommittedWork.Begun::await);
    }

    /** What waits is bounded. Returns false, and gives the jobs up, if there is no room and Redis is silent. */
    private boolean takeRoom(String shard, List<Slice> slices) {
        int taken = background.takeRoom(
                shard,
                slices.stream().mapToInt(slice -> slice.jobs.size()).sum(),
                slices.stream().mapToLong(slice -> slice.bytes).sum());
        if (taken == 0) {
            JobStoreException full = new JobStoreException(
                    JobStoreException.Kind.TIMEOUT,
                    "Redis does not answer, and too many jobs of committed transactions wait for it",
                    null,
                    false);
            for (Slice slice : slices) {
                failed(slice, full);
                giveUp(slice, full);
            }
            return false;
        }
        for (Slice slice : slices) {
            slice.room = Math.min(taken, Math.max(slice.jobs.size(), slice.bytes / 1_024 + 1));
            taken -= slice.room;
        }
        slices.get(slices.size() - 1).room += taken;
        return true;
    }

    /** On a thread of the background, where nobody is held up by a shard that is silent. */
    private void send(String shard, List<Slice> slices, long deadline) {
        Deque<Slice> unsent = new ArrayDeque<>(slices);
        Deque<Slice> sent = new ArrayDeque<>();
        int most = 1; // a server that lost the script gets it with the first, or others would come before it
        try {
            while (!(unsent.isEmpty() && sent.isEmpty())) {
                if (isHopeless(shard, deadline)) {
                    throw new JobStoreException(
                            JobStoreException.Kind.TIMEOUT, "Redis has not answered since the commit", null, false);
                }
                if (!unsent.isEmpty() && sent.size() < most) {
                    unsent.element().sent = enqueuer.send(unsent.element().jobs);
                    sent.add(unsent.remove());
                } else {
                    await(sent.element());
                    end(sent.remove());
                    most = PUSHES_AT_ONCE;
                }
            }
        } catch (JobStoreException e) {
            List<Slice> left = new ArrayList<>(sent);
            left.addAll(unsent);
            left.forEach(slice -> failed(slice, e));
            background.later(shard, () -> goOn(left, deadline, e));
        } catch (Throwable e) {
            Stream.concat(sent.stream(), unsent.stream()).forEach(this::giveRoom);
            throw e;
        }
    }

    /** Whether the time is over, and the shard answers nobody else either. */
    private boolean isHopeless(String shard, long deadline) {
        return System.nanoTime() - deadline >= 0 && background.isSilent(shard);
    }

    private void end(Slice slice) {
        background.answered(slice.shard);
        giveRoom(slice);
    }

    @Override
    public String toString() {
        return Unit.JOB.counted(jobs.size()) + " ("
                + names(jobs.stream().limit(JIDS_PER_LINE).map(job -> shown(job.name(), job.jid())))
                + (jobs.size() > JIDS_PER_LINE ? ", …" : "") + ")";
    }

    /** In the order of the calls; what goes to one queue of a shard goes together. */
    private List<Slice> slices(List<CheckedJob> some) {
        List<Slice> slices = new ArrayList<>();
        Map<String, Slice> open = new LinkedHashMap<>();
        for (CheckedJob each : some) {
            ReadyJob job = enqueuer.finishOfAnySize(each);
            boolean scheduled = job.at() != null;
            String shard = enqueuer.store().shard(job);
            String target = shard + '\n' + (scheduled ? "" : job.queue());
            Slice slice = open.get(target);
            if (slice == null
                    || slice.jobs.size() >= enqueuer.pushJobs(job)
                    || slice.bytes >= enqueuer.store().callBytes()) {
                slice = new Slice(shard);
                open.put(target, slice);
                slices.add(slice);
            }
            slice.jobs.add(job);
            slice.bytes += job.payload().length;
        }
        return slices;
    }

    private static void await(Slice slice) {
        slice.awaited = true;
        Objects.requireNonNull(slice.sent).await();
    }

    private void goOn(List<Slice> slices, long deadline, JobStoreException first) {
        Deque<Slice> left = new ArrayDeque<>(slices);
        try {
            while (!left.isEmpty()) {
                JobStoreException failure = store(left.element(), deadline, first);
                if (failure != null) {
                    giveUp(left.element(), failure);
                    giveRoom(left.remove());
                } else {
                    ended(left.element(), 0);
                    end(left.remove());
                }
            }
        } finally {
            for (Slice slice : left) {
                ended(slice, slice.jobs.size());
                giveRoom(slice);
            }
        }
    }

    private void failed(Slice slice, JobStoreException failure) {
        background.failed(slice.shard, Unit.JOB, slice.jobs.size(), failure);
    }

    private void ended(Slice slice, int lost) {
        background.ended(slice.shard, Unit.JOB, slice.jobs.size(), lost);
    }

    private void giveRoom(Slice slice) {
        background.giveRoom(slice.shard, slice.room);
    }

    /** Returns null once it is stored. */
    private @Nullable JobStoreException store(Slice slice, long deadline, JobStoreException first) {
        JobStoreException last = first;
        while (!isHopeless(slice.shard, deadline)) {
            try {
                if (slice.sent == null) {
                    slice.sent = enqueuer.send(slice.jobs);
                }
                if (slice.awaited) {
                    slice.sent.repeat(background.timeout());
                } else {
                    await(slice);
                }
                return null;
            } catch (JobStoreException e) {
                last = e;
                if (System.nanoTime() - deadline >= 0 || !CommittedWork.pause()) {
                    return last;
                }
            }
        }
        return last;
    }

    private void giveUp(Slice slice, JobStoreException failure) {
        JobPushes.Sent sent = slice.sent;
        boolean uncertain = sent != null && (!slice.awaited || sent.mayBeStored());
        List<ReadyJob> missing = IntStream.range(0, slice.jobs.size())
                .filter(index -> sent == null || sent.state(index) != State.STORED)
                .mapToObj(slice.jobs::get)
                .toList();
        if (sent != null) {
            sent.giveUp();
        }
        for (int from = 0; from < missing.size(); from += JIDS_PER_LINE) {
            List<ReadyJob> some = missing.subList(from, Math.min(missing.size(), from + JIDS_PER_LINE));
            boolean one = some.size() == 1;
            log.error(
                    "{} of a committed transaction {} given up, and {} stored: {} ({})",
                    Unit.JOB.counted(some.size()),
                    one ? "is" : "are",
                    uncertain ? "may be" : one ? "is not" : "are not",
                    names(some.stream().map(job -> shown(job.name(), job.jid()))),
                    failure.getMessage());
        }
        ended(slice, missing.size());
        enqueuer.events().notStored(missing);
    }

    private static String shown(String name, String jid) {
        return PayloadRules.shown(name) + " " + PayloadRules.shown(jid);
    }

    private static String names(Stream<String> names) {
        return names.collect(Collectors.joining(", "));
    }
}
