package dev.jobs.client;

import dev.jobs.BulkEndedException;
import dev.jobs.BulkEndedException.BulkJob;
import dev.jobs.BulkEndedException.State;
import dev.jobs.EnqueueCall;
import dev.jobs.InvalidJobException;
import dev.jobs.JobStoreException;
import dev.jobs.Payload;
import dev.jobs.store.JobPushes;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SortedMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One call that enqueues many jobs: it gathers them into slices and stores one slice while it gathers the next. Stored
 * jobs stay stored if the call fails later. Used once, by one thread.
 */
final class BulkCall {

    private record Gathered(int number, CheckedJob job) {}

    /** Jobs that are sent together. */
    private static final class Group {
        private final List<Integer> numbers = new ArrayList<>();
        private final List<ReadyJob> jobs = new ArrayList<>();
        private JobPushes.@Nullable Sent push;
    }

    private final Enqueuer enqueuer;
    private final EnqueueCall call;
    private final int sliceSize;
    private final @Nullable WaitingJobs transaction;
    private final List<@Nullable String> ids = new ArrayList<>();
    /** One for each of the ids. */
    private final List<State> states = new ArrayList<>();

    private final List<Gathered> slice = new ArrayList<>();
    private long sliceBytes;
    /** The number of the current element, from 1. */
    private int current;

    private int stored;

    /** The push in flight. */
    private @Nullable Group sent;

    /**
     * @param call what follows this one
     * @param transaction whose commit the jobs wait for; null to store them now
     */
    BulkCall(Enqueuer enqueuer, EnqueueCall call, int sliceSize, @Nullable WaitingJobs transaction) {
        this.enqueuer = enqueuer;
        this.call = call;
        this.sliceSize = sliceSize;
        this.transaction = transaction;
    }

    /** Enqueues a job for each element; returns the jids in order. */
    <E extends @Nullable Object> List<@Nullable String> run(
            Iterable<? extends E> elements, Function<E, Payload> draft) {
        try {
            for (E element : elements) {
                current++;
                gather(draft.apply(element));
            }
            if (transaction != null) {
                transaction.add(slice.stream().map(Gathered::job).toList()); // all or none
                return ids;
            }
            storeSlice();
            awaitSent();
            return ids;
        } catch (InvalidJobException e) {
            endBecauseOf(e);
            InvalidJobException told = new InvalidJobException(
                    e.getMessage() + "; this was element " + current + " of the call, " + storedBefore(), e);
            told.addSuppressed(ended());
            throw told;
        } catch (JobStoreException e) {
            endBecauseOf(e); // the caller's own iterable may have thrown it
            JobStoreException told = new JobStoreException(
                    e.kind(),
                    e.getMessage() + "; of the call's other jobs " + storedBefore(),
                    e.getCause(),
                    e.mayHaveRun());
            Arrays.stream(e.getSuppressed()).forEach(told::addSuppressed);
            told.addSuppressed(ended());
            throw told;
        } catch (Throwable e) { // an iterable or a middleware may throw anything, and the slice in flight holds a lane
            endBecauseOf(e);
            e.addSuppressed(ended());
            throw e;
        }
    }

    private BulkEndedException ended() {
        List<BulkJob> jobs = new ArrayList<>(states.size());
        for (int i = 0; i < states.size(); i++) {
            jobs.add(new BulkJob(ids.get(i), states.get(i)));
        }
        return new BulkEndedException("A bulk call ended at element " + current + ", " + storedBefore(), jobs);
    }

    private String storedBefore() {
        return String.format(Locale.ROOT, "%,d had been stored before", stored);
    }

    private void gather(Payload draft) {
        CheckedJob job = enqueuer.admit(draft, call);
        ids.add(job == null ? null : job.jid());
        states.add(job == null ? State.REFUSED : State.NOT_STORED);
        if (job != null && transaction != null) {
            enqueuer.finish(job, enqueuer.now()); // refuses a job that is too large
            slice.add(new Gathered(current, job));
        } else if (job != null) {
            slice.add(new Gathered(current, job));
            sliceBytes += job.size();
            if (slice.size() >= sliceSize || sliceBytes >= enqueuer.store().callBytes()) {
                storeSlice();
            }
        }
    }

    private void storeSlice() {
        Instant now = enqueuer.now();
        Group waiting = new Group();
        Map<String, Group> byQueue = new LinkedHashMap<>();
        for (Gathered each : slice) {
            current = each.number();
            ReadyJob job = enqueuer.finish(each.job(), now);
            Group group = job.at() != null ? waiting : byQueue.computeIfAbsent(job.queue(), queue -> new Group());
            group.numbers.add(each.number());
            group.jobs.add(job);
        }
        byQueue.values().forEach(this::storeInPushes);
        storeInPushes(waiting);
        slice.clear();
        sliceBytes = 0;
    }

    /** Stores jobs that go to one place, in as many pushes as that needs. */
    private void storeInPushes(Group group) {
        int size = group.jobs.size();
        int most = size == 0 ? 1 : enqueuer.pushJobs(group.jobs.get(0));
        for (int from = 0; from < size; from += most) {
            int to = Math.min(size, from + most);
            Group part = new Group();
            part.numbers.addAll(group.numbers.subList(from, to));
            part.jobs.addAll(group.jobs.subList(from, to));
            store(part);
        }
    }

    private void store(Group group) {
        awaitSent();
        mark(group, State.UNKNOWN); // until the answer is there: anything may be thrown in between
        try {
            group.push = enqueuer.send(group.jobs);
        } catch (JobStoreException e) {
            mark(group, State.NOT_STORED);
            throw e;
        }
        sent = group;
    }

    private void awaitSent() {
        Group last = sent;
        sent = null;
        if (last == null || last.push == null) {
            return;
        }
        try {
            SortedMap<Integer, String> refused = last.push.await().refused();
            mark(last, State.STORED);
            for (int index : refused.keySet()) {
                ids.set(last.numbers.get(index) - 1, null);
                states.set(last.numbers.get(index) - 1, State.REFUSED);
            }
            stored += last.jobs.size() - refused.size();
        } catch (JobStoreException e) {
            noteStates(last, last.push);
            throw e;
        } finally {
            last.push.giveUp();
        }
    }

    /** After a failure: some of several shards may have stored their jobs. */
    private void noteStates(Group group, JobPushes.Sent push) {
        for (int i = 0; i < group.jobs.size(); i++) {
            int position = group.numbers.get(i) - 1;
            State state = push.state(i);
            states.set(position, state);
            if (state == State.REFUSED) {
                ids.set(position, null);
            }
            stored += state == State.STORED ? 1 : 0;
        }
    }

    private void mark(Group group, State state) {
        group.numbers.forEach(number -> states.set(number - 1, state));
    }

    /** Waits for the slice in flight, so that it counts as stored, too. */
    private void endBecauseOf(Throwable failure) {
        try {
            awaitSent();
        } catch (JobStoreException e) {
            failure.addSuppressed(e);
        }
    }

    /** Pairs the elements of a bulk call with the times of their jobs. For one iteration, by one thread. */
    static final class TimeOfEach<E extends @Nullable Object> implements Iterable<E> {

        private final Iterable<? extends E> elements;
        private final List<Instant> times;
        private int given;

        /** @throws InvalidJobException if the number of elements is known and differs from the number of times */
        TimeOfEach(Iterable<? extends E> elements, List<Instant> times) {
            this.elements = elements;
            this.times = times;
            if (elements instanceof Collection<?> known && known.size() != times.size()) {
                throw mismatch(known.size() + " jobs");
            }
        }

        /** The time for the element returned last. */
        Instant time() {
            if (given == times.size()) {
                throw mismatch("more jobs");
            }
            return times.get(given++);
        }

        @Override
        public Iterator<E> iterator() {
            Iterator<? extends E> each = elements.iterator();
            return new Iterator<>() {
                @Override
                public boolean hasNext() {
                    boolean more = each.hasNext();
                    if (!more && given < times.size()) {
                        throw mismatch(given + " jobs");
                    }
                    return more;
                }

                @Override
                public E next() {
                    return each.next();
                }
            };
        }

        private InvalidJobException mismatch(String jobs) {
            return new InvalidJobException("atEach needs a time for each job of the call, but there are " + times.size()
                    + " times and " + jobs);
        }
    }
}
