package dev.jobs.client;

import dev.jobs.BulkEndedException.State;
import dev.jobs.Internal;
import dev.jobs.JobHooks;
import dev.jobs.JobListener;
import dev.jobs.store.JobPushes;
import dev.jobs.store.PushAnswers;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;

/** What listeners are told of the jobs that a client stores, or can't store. Thread-safe. */
@Internal
public final class EnqueueEvents {

    private final JobHooks hooks;

    EnqueueEvents(JobHooks hooks) {
        this.hooks = hooks;
    }

    private record Kind(String name, String queue) {}

    @FunctionalInterface
    private interface Event {
        void tell(JobListener listener, Kind kind, int count);
    }

    /** Jobs were stored, in their queues or in the scheduled set. */
    public void stored(List<ReadyJob> jobs) {
        stored(jobs.stream().filter(job -> job.at() == null).toList(), false);
        stored(jobs.stream().filter(job -> job.at() != null).toList(), true);
    }

    private void stored(List<ReadyJob> jobs, boolean scheduled) {
        byKind(jobs, (listener, kind, count) -> listener.enqueued(kind.name(), kind.queue(), count, scheduled));
    }

    /** Jobs of a committed transaction could not be stored. */
    public void notStored(List<ReadyJob> jobs) {
        byKind(jobs, (listener, kind, count) -> listener.notStored(kind.name(), kind.queue(), count));
    }

    private void byKind(List<ReadyJob> jobs, Event event) {
        if (hooks.listeners().isEmpty()) {
            return;
        }
        Map<Kind, Integer> counts = new LinkedHashMap<>();
        jobs.forEach(job -> counts.merge(new Kind(job.name(), job.queue()), 1, Integer::sum));
        counts.forEach((kind, count) -> hooks.tell(listener -> event.tell(listener, kind, count)));
    }

    /**
     * A push succeeded.
     *
     * @param told jobs of which listeners know already
     */
    void succeeded(List<ReadyJob> jobs, PushAnswers answers, BitSet told) {
        if (hooks.listeners().isEmpty()) {
            return;
        }
        boolean scheduled = isScheduled(jobs);
        stored(
                those(
                        jobs,
                        index -> answers.isStored(index)
                                && !told.get(index)
                                && (scheduled || !answers.later().contains(index))),
                scheduled);
        if (!scheduled && !answers.later().isEmpty()) {
            stored(
                    those(
                            jobs,
                            index -> answers.isStored(index) && answers.later().contains(index)),
                    true);
        }
    }

    /**
     * A push failed, and may be repeated; some of its jobs may be stored.
     *
     * @param told receives those of which listeners know now
     */
    void failed(List<ReadyJob> jobs, JobPushes.Sent push, BitSet told) {
        if (!push.mayBeStored() || hooks.listeners().isEmpty()) {
            return;
        }
        List<ReadyJob> stored = new ArrayList<>();
        for (int i = 0; i < jobs.size(); i++) {
            if (push.state(i) == State.STORED && !told.get(i)) {
                told.set(i);
                stored.add(jobs.get(i));
            }
        }
        stored(stored, isScheduled(jobs));
    }

    private static boolean isScheduled(List<ReadyJob> jobs) {
        return jobs.get(0).at() != null;
    }

    private static List<ReadyJob> those(List<ReadyJob> jobs, IntPredicate which) {
        return IntStream.range(0, jobs.size()).filter(which).mapToObj(jobs::get).toList();
    }
}
