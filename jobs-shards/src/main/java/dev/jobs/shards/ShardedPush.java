package dev.jobs.shards;

import dev.jobs.BulkEndedException.State;
import dev.jobs.JobStoreException;
import dev.jobs.client.ReadyJob;
import dev.jobs.store.JobPushes;
import dev.jobs.store.PushAnswers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Jobs that were sent to several shards, side by side: a numbered push to each. What a shard has stored stays stored
 * and is not sent again, whatever becomes of the others. For one thread at a time.
 */
final class ShardedPush implements JobPushes.Sent {

    /** What goes to one shard. */
    private static final class Part {

        private final String shard;
        private final List<Integer> indexes = new ArrayList<>();
        private final List<ReadyJob> jobs = new ArrayList<>();

        /** Null if it could not be sent. */
        private JobPushes.@Nullable Sent sent;

        /** Null until the shard has answered. */
        private @Nullable PushAnswers answers;

        private @Nullable JobStoreException failure;

        Part(String shard) {
            this.shard = shard;
        }

        void add(int index, ReadyJob job) {
            indexes.add(index);
            jobs.add(job);
        }

        boolean isOpen() {
            return answers == null;
        }

        boolean mayBeStored() {
            return answers != null || sent != null && sent.mayBeStored();
        }

        void giveUp() {
            if (sent != null) {
                sent.giveUp();
            }
        }

        /** Whether anybody has waited for an answer, so that {@link #mayBeStored()} is known. */
        boolean isAwaited() {
            return answers != null || failure != null;
        }

        /** Takes the next step if it was sent and is open. */
        void answered(Function<JobPushes.Sent, PushAnswers> step) {
            if (sent != null && isOpen()) {
                try {
                    answers = step.apply(sent);
                } catch (JobStoreException e) {
                    failure = e;
                }
            }
        }
    }

    private final ShardedJobStore store;
    private final int size;
    private List<Part> parts;

    private ShardedPush(ShardedJobStore store, int size, Map<String, Part> parts) {
        this.store = store;
        this.size = size;
        this.parts = inOrder(parts);
    }

    /** Sends jobs to their shards. Those that all go to one pass through as they are. */
    static JobPushes.Sent send(ShardedJobStore store, List<ReadyJob> jobs) {
        Map<String, Part> parts = new LinkedHashMap<>();
        boolean mayMove = false;
        for (int i = 0; i < jobs.size(); i++) {
            ReadyJob job = jobs.get(i);
            mayMove |= store.mayFailOver(job);
            parts.computeIfAbsent(store.shard(job), Part::new).add(i, job);
        }
        if (parts.size() == 1 && !mayMove) {
            return store.send(parts.keySet().iterator().next(), jobs);
        }
        ShardedPush push = new ShardedPush(store, jobs.size(), parts);
        push.sendAll(push.parts);
        return push;
    }

    /** In the same order in all threads, or two might each hold a lane of one shard and wait for the other's. */
    private List<Part> inOrder(Map<String, Part> some) {
        return some.values().stream()
                .sorted(Comparator.comparingInt(part -> store.position(part.shard)))
                .collect(Collectors.toCollection(ArrayList::new));
    }

    private void sendAll(List<Part> some) {
        try {
            for (Part part : some) {
                try {
                    part.sent = store.send(part.shard, part.jobs);
                } catch (JobStoreException e) {
                    part.failure = e;
                }
            }
        } catch (Throwable e) { // the others hold their lanes
            giveUp();
            throw e;
        }
    }

    /** {@inheritDoc} Takes the whole timeout for each shard that is away. */
    @Override
    public PushAnswers await() {
        parts.forEach(part -> part.answered(JobPushes.Sent::await));
        return complete();
    }

    @Override
    public PushAnswers repeat(Duration atMost) {
        long deadline = System.nanoTime() + atMost.toNanos();
        List<Part> unsent = startOver();
        sendAll(unsent);
        unsent.forEach(part -> part.answered(JobPushes.Sent::await));
        for (Part part : parts) {
            if (!unsent.contains(part)) {
                boolean awaited = part.isAwaited();
                part.answered(sent -> awaited ? sent.repeat(left(deadline)) : sent.await());
            }
        }
        return complete();
    }

    private static Duration left(long deadline) {
        return Duration.ofNanos(Math.max(0, deadline - System.nanoTime()));
    }

    /**
     * Jobs that are certainly not stored go to their own shards again, if they were not sent there last. What was sent
     * and not awaited may be stored, and keeps its number.
     */
    private List<Part> startOver() {
        Map<String, Part> fresh = new LinkedHashMap<>();
        List<Part> kept = new ArrayList<>();
        for (Part part : parts) {
            boolean movable = part.jobs.stream().anyMatch(store::mayFailOver);
            if (part.isOpen() && (part.sent == null || movable && part.isAwaited() && !part.mayBeStored())) {
                part.giveUp();
                for (int i = 0; i < part.jobs.size(); i++) {
                    ReadyJob job = part.jobs.get(i);
                    fresh.computeIfAbsent(store.shard(job), Part::new).add(part.indexes.get(i), job);
                }
            } else {
                kept.add(part);
            }
        }
        List<Part> unsent = inOrder(fresh);
        kept.addAll(unsent);
        parts = kept;
        return unsent;
    }

    private PushAnswers complete() {
        for (List<Part> moved = moveOn(); !moved.isEmpty(); moved = moveOn()) {
            sendAll(moved);
            moved.forEach(part -> part.answered(JobPushes.Sent::await));
        }
        if (parts.stream().anyMatch(Part::isOpen)) {
            throw failure();
        }
        return answers();
    }

    /**
     * Lets jobs that their shard certainly did not store, and that may be in another, go to the next one. Returns what
     * is to be sent there.
     */
    private List<Part> moveOn() {
        Map<String, Part> next = new LinkedHashMap<>();
        List<Part> kept = new ArrayList<>();
        for (Part part : parts) {
            if (!part.isOpen() || part.mayBeStored() || Thread.currentThread().isInterrupted()) {
                kept.add(part);
                continue;
            }
            Part rest = new Part(part.shard);
            for (int i = 0; i < part.jobs.size(); i++) {
                ReadyJob job = part.jobs.get(i);
                String other = store.after(part.shard, job);
                Part to = other == null ? rest : next.computeIfAbsent(other, Part::new);
                to.add(part.indexes.get(i), job);
            }
            if (rest.jobs.size() == part.jobs.size()) {
                kept.add(part);
                continue;
            }
            part.giveUp();
            if (!rest.jobs.isEmpty()) {
                rest.failure = part.failure;
                kept.add(rest);
            }
        }
        List<Part> moved = inOrder(next);
        kept.addAll(moved);
        parts = kept;
        return moved;
    }

    private PushAnswers answers() {
        SortedMap<Integer, String> refused = new TreeMap<>();
        Set<Integer> later = new HashSet<>();
        for (Part part : parts) {
            PushAnswers answers = Objects.requireNonNull(part.answers);
            answers.refused().forEach((index, reason) -> refused.put(part.indexes.get(index), reason));
            answers.later().forEach(index -> later.add(part.indexes.get(index)));
        }
        return refused.isEmpty() && later.isEmpty() ? PushAnswers.allStored() : new PushAnswers(refused, later);
    }

    private JobStoreException failure() {
        JobStoreException all = null;
        int answered = 0;
        for (Part part : parts) {
            if (part.isOpen()) {
                JobStoreException failure = Objects.requireNonNull(part.failure);
                all = all == null ? failure : and(all, failure);
            } else {
                answered += part.jobs.size();
            }
        }
        JobStoreException failure = Objects.requireNonNull(all);
        if (answered == 0) {
            return failure;
        }
        String others = String.format(Locale.ROOT, "; other shards have %,d of these %,d jobs", answered, size);
        return new JobStoreException(failure.kind(), failure.getMessage() + others, failure.getCause(), true);
    }

    /** The failures of two shards as one, of the kind of the first. */
    static JobStoreException and(JobStoreException one, JobStoreException other) {
        return new JobStoreException(
                one.kind(),
                one.getMessage() + "; " + other.getMessage(),
                one.getCause(),
                one.mayHaveRun() || other.mayHaveRun());
    }

    @Override
    public boolean mayBeStored() {
        return parts.stream().anyMatch(Part::mayBeStored);
    }

    @Override
    public State state(int index) {
        for (Part part : parts) {
            int at = part.indexes.indexOf(index);
            if (at >= 0) {
                PushAnswers answers = part.answers;
                if (answers != null) {
                    return answers.isStored(at) ? State.STORED : State.REFUSED;
                }
                return part.sent == null ? State.NOT_STORED : part.sent.state(at);
            }
        }
        throw new IndexOutOfBoundsException(index);
    }

    @Override
    public void giveUp() {
        parts.forEach(Part::giveUp);
    }
}
