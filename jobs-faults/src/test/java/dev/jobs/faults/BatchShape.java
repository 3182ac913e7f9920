package dev.jobs.faults;

import dev.jobs.JobCall;
import dev.jobs.batches.BatchEndedException;
import dev.jobs.batches.BatchEvent;
import dev.jobs.batches.BatchJobState;
import dev.jobs.batches.BatchOptions;
import dev.jobs.batches.Batches;
import dev.jobs.batches.OpenBatch;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/** What a batch of the storm consists of. Number and dose say everything, so that filling it can be continued. */
enum BatchShape {
    /** Created with a next batch; only business failures, which are tolerated. */
    CHAIN,
    /** Created with two children; jobs end in every way. */
    TREE,
    /** Filled while its jobs run, which end in every way. */
    STREAM,
    /** Created with a child and cancelled; no job fails by itself. */
    CANCELLED;

    private static final String KEY = "storm";
    private static final int SLICE = 50;
    private static final String[] QUEUES = {"critical", "high", "default", "low", "bulk"};

    /** Runs before each few jobs that are added. */
    interface Pace {

        void await();
    }

    static BatchShape of(int number) {
        return number % 10 == 9 ? CANCELLED : values()[number % 3];
    }

    /** The sizes of the batches by name, without the jobs that jobs add. */
    static Map<String, Integer> sizes(int number, int jobs) {
        Map<String, Integer> sizes = new LinkedHashMap<>();
        String name = name(number);
        switch (of(number)) {
            case CHAIN -> {
                sizes.put(name, jobs * 9 / 10);
                sizes.put(name + " next", jobs / 10);
            }
            case TREE -> {
                sizes.put(name, jobs / 2);
                sizes.put(name + " child 1", jobs / 4);
                sizes.put(name + " child 2", jobs / 4);
            }
            case STREAM -> sizes.put(name, jobs);
            case CANCELLED -> {
                sizes.put(name, jobs / 2);
                sizes.put(name + " child", jobs / 2);
            }
        }
        return sizes;
    }

    private static String name(int number) {
        return of(number) + " " + number;
    }

    /** Creates and fills the batch of that number, or continues to. */
    static void fill(Batches batches, int number, int jobs, Pace pace) {
        String name = name(number);
        switch (of(number)) {
            case CHAIN ->
                batches.create(name, KEY, batch -> {
                    withCallbacks(batch).tolerateFailures();
                    batch.addAll(jobs(name, jobs * 9 / 10, pace));
                    batch.then(name + " next", next -> {
                        withCallbacks(next).tolerateFailures();
                        next.addAll(jobs(name, jobs / 10, pace));
                    });
                });
            case TREE ->
                batches.create(name, KEY, batch -> {
                    withCallbacks(batch);
                    batch.addAll(jobs(name, jobs / 2, pace));
                    for (int i = 1; i <= 2; i++) {
                        batch.child(name + " child " + i, child -> {
                            withCallbacks(child);
                            child.addAll(jobs(name, jobs / 4, pace));
                        });
                    }
                });
            case STREAM -> stream(batches, name, jobs, pace);
            case CANCELLED -> {
                String id = batches.create(name, KEY, batch -> {
                    withCallbacks(batch);
                    batch.addAll(jobs(name, jobs / 2, pace));
                    batch.child(name + " child", child -> {
                        withCallbacks(child);
                        child.addAll(jobs(name, jobs / 2, pace));
                    });
                });
                batches.cancel(id);
            }
        }
    }

    private static void stream(Batches batches, String name, int jobs, Pace pace) {
        try (OpenBatch batch = batches.open(name, KEY, BatchShape::withCallbacks)) {
            long[] added = {0};
            jobs(name, jobs, pace).forEachOrdered(job -> {
                batch.add(job);
                added[0]++;
                if (added[0] % SLICE == 0) {
                    batch.flush();
                }
            });
            batch.commit();
        } catch (BatchEndedException e) {
            // an earlier filler was killed after the commit
        }
    }

    private static BatchOptions withCallbacks(BatchOptions options) {
        for (BatchEvent event : BatchEvent.values()) {
            options.on(event, JobCall.named("Work", 5).queue("critical"));
        }
        return options;
    }

    private static Stream<JobCall> jobs(String name, int count, Pace pace) {
        Iterable<JobCall> calls = () -> new java.util.Iterator<>() {
            private int index;

            @Override
            public boolean hasNext() {
                return index < count;
            }

            @Override
            public JobCall next() {
                if (index % SLICE == 0) {
                    pace.await();
                }
                return job(name, index++);
            }
        };
        return StreamSupport.stream(calls.spliterator(), false);
    }

    private static JobCall job(String name, int index) {
        int millis = 5 + index * 31 % Dose.current().of(50, 240);
        boolean mayDie = !name.startsWith(CHAIN.name());
        JobCall call =
                switch (name.startsWith(CANCELLED.name()) ? 0 : index % 20) {
                    case 1 -> JobCall.named("FailOnce", millis);
                    case 3 -> JobCall.named("Work", millis).at(Instant.now().plusSeconds(1));
                    case 4 -> JobCall.named("Grow", millis);
                    case 5 -> JobCall.named("Refuse", millis);
                    case 6 -> mayDie ? JobCall.named("Throw", "unchecked").retry(0) : JobCall.named("Work", millis);
                    case 7 ->
                        mayDie
                                ? JobCall.named("Throw", "unchecked")
                                        .retry(0)
                                        .with(client -> client.with("dead", false))
                                : JobCall.named("Work", millis);
                    case 8 -> JobCall.named("Work", Dose.current().of(400, millis)); // long enough to be hit by a kill
                    default -> JobCall.named("Work", millis);
                };
        return call.queue(QUEUES[index % QUEUES.length]);
    }

    /** How the job with that index ends, unless it is cancelled or outlives too many workers. */
    static BatchJobState end(String name, long index) {
        return switch (name.startsWith(CANCELLED.name()) ? 0 : (int) (index % 20)) {
            case 5 -> BatchJobState.FAILED;
            case 6 -> name.startsWith(CHAIN.name()) ? BatchJobState.SUCCEEDED : BatchJobState.DEAD;
            case 7 -> name.startsWith(CHAIN.name()) ? BatchJobState.SUCCEEDED : BatchJobState.DISCARDED;
            default -> BatchJobState.SUCCEEDED;
        };
    }
}
