package dev.jobs.batches;

import dev.jobs.JobCall;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Set;
import java.util.Spliterator;
import java.util.Spliterators;
import java.util.function.Consumer;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;

/** The batch of a running job. Thread-safe. */
final class RunningBatch implements JobBatch {

    private static final int PAGE = 1_000;

    private final String id;
    private final RedisBatches batches;
    private final BatchClient client;
    private final BatchStorage storage;
    private final BatchReader reader;
    private volatile @Nullable Boolean keepsResults;

    RunningBatch(String id, RedisBatches batches, BatchStorage storage, BatchReader reader) {
        this.id = id;
        this.batches = batches;
        this.client = storage.client();
        this.storage = storage;
        this.reader = reader;
    }

    @Override
    public String id() {
        return id;
    }

    private BatchReader.Found found() {
        return reader.find(id).orElseThrow(() -> new BatchEndedException("There is no batch " + id + " any more"));
    }

    @Override
    public BatchStatus status() {
        return found().status();
    }

    private boolean keepsResults() {
        Boolean known = keepsResults;
        if (known == null) {
            known = found().definition().keepsResults();
            keepsResults = known;
        }
        return known;
    }

    @Override
    public @Nullable String add(JobCall job) {
        long index = storage.store().reserve(id, 1);
        boolean admitted = client.enqueuer().inCall(id, call -> {
            BatchFill fill = new BatchFill(storage, id, call, false);
            boolean added = fill.add(index, job, keepsResults());
            fill.flush();
            return added;
        });
        return admitted ? new BatchJobId(id, index).jid() : null;
    }

    @Override
    public long addAll(Stream<JobCall> jobs) {
        return client.enqueuer().inCall(id, call -> addAll(jobs, new BatchFill(storage, id, call, false)));
    }

    private long addAll(Stream<JobCall> jobs, BatchFill fill) {
        boolean keeps = keepsResults();
        List<JobCall> slice = new ArrayList<>();
        try (jobs) {
            for (Iterator<JobCall> all = jobs.iterator(); all.hasNext(); ) {
                slice.add(all.next());
                if (slice.size() == BatchStore.SLICE || !all.hasNext()) {
                    long index = storage.store().reserve(id, slice.size());
                    for (JobCall job : slice) {
                        fill.add(index, job, keeps);
                        index++;
                    }
                    slice.clear();
                }
            }
        }
        fill.flush();
        return fill.stored();
    }

    @Override
    public String child(String name, Consumer<BatchBuilder> content) {
        return batches.createChild(id, name, content);
    }

    @Override
    public BatchPage jobs(Set<BatchJobState> states, long after, int size) {
        return batches.jobs(id, states, after, size);
    }

    @Override
    public Stream<BatchJob> results() {
        if (!keepsResults()) {
            throw new IllegalStateException("Batch " + id + " keeps no results. Create or open it with keepResults()");
        }
        Iterator<BatchJob> all = new Iterator<>() {
            private BatchPage page = jobs(Set.of(BatchJobState.SUCCEEDED), -1, PAGE);
            private int at;

            @Override
            public boolean hasNext() {
                while (at == page.jobs().size() && page.hasMore()) {
                    page = jobs(Set.of(BatchJobState.SUCCEEDED), page.next(), PAGE);
                    at = 0;
                }
                return at < page.jobs().size();
            }

            @Override
            public BatchJob next() {
                if (!hasNext()) {
                    throw new NoSuchElementException();
                }
                return page.jobs().get(at++);
            }
        };
        return StreamSupport.stream(Spliterators.spliteratorUnknownSize(all, Spliterator.ORDERED), false)
                .filter(job -> job.result() != null);
    }

    @Override
    public boolean isCancelled() {
        return reader.find(id)
                .map(found -> found.status().cancelledAt() != null)
                .orElse(false);
    }
}
