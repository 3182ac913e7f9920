package dev.jobs.spring.autoconfigure.batches;

import static dev.jobs.spring.autoconfigure.operations.Answer.done;
import static dev.jobs.spring.autoconfigure.operations.Answer.found;

import dev.jobs.Internal;
import dev.jobs.admin.Page;
import dev.jobs.admin.ScanBudget;
import dev.jobs.batches.BatchStatus;
import dev.jobs.batches.Batches;
import dev.jobs.batches.BatchesAdmin;
import dev.jobs.spring.BatchView;
import dev.jobs.spring.autoconfigure.operations.Answer;
import dev.jobs.spring.autoconfigure.operations.Change;
import dev.jobs.spring.autoconfigure.operations.Section;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Batches in the endpoint. */
@Internal
public final class BatchSection implements Section {

    private static final int MOST = 50;

    private final BatchesAdmin admin;
    private final @Nullable Batches batches;

    /**
     * A page of batches.
     *
     * @param next what to pass as {@code from} for the next page; -1 if this is the last one
     * @param total number of all batches, or of all unfinished ones
     */
    public record BatchList(List<BatchView> batches, long next, long total) {}

    /** @param batches null if nothing is done with them */
    public BatchSection(BatchesAdmin admin, @Nullable Batches batches) {
        this.admin = admin;
        this.batches = batches;
    }

    @Override
    public String name() {
        return "batches";
    }

    @Override
    public Answer list(boolean unfinished, long from) {
        Page<BatchStatus> page = admin.list(unfinished, batch -> true, from, MOST, ScanBudget.standard());
        return found(new BatchList(page.items().stream().map(BatchSection::view).toList(), page.next(), page.total()));
    }

    @Override
    public Answer one(String name) {
        return admin.find(name).map(details -> found(view(details.status()))).orElseGet(() -> none(name));
    }

    @Override
    public List<String> actions() {
        return List.of("cancel", "retry");
    }

    @Override
    public Answer change(String name, Change change) {
        if (batches == null || batches.find(name).isEmpty()) {
            return none(name);
        }
        return change.action().equals("cancel")
                ? done(batches.cancel(name))
                : found(Map.of("retried", batches.retryDead(name)));
    }

    private static Answer none(String id) {
        return Answer.notFound("There is no batch '" + id + "'");
    }

    private static BatchView view(BatchStatus batch) {
        return BatchView.of(batch, Instant.now());
    }
}
