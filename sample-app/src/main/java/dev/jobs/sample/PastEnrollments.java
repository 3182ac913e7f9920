package dev.jobs.sample;

import dev.jobs.batches.BatchJobState;
import dev.jobs.history.EventSearch;
import dev.jobs.history.EventSearch.Order;
import dev.jobs.history.HistoryEvent;
import dev.jobs.history.HistoryTask;
import dev.jobs.history.JobHistory;
import dev.jobs.history.TaskSearch;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/** What became of enrollments and their products, also after Redis has forgotten them: rows of the shop's database. */
@Component
class PastEnrollments {

    /** The name of their batches. */
    static final String NAME = "enrollment";

    private static final int MOST = 100;

    private final JobHistory history;

    /** An enrollment. */
    record PastEnrollment(
            String id,
            String campaign,
            HistoryTask.State state,
            long products,
            long enrolled,
            long refused,
            Instant startedAt) {}

    /** A product of one. */
    record PastProduct(
            String enrollment,
            String campaign,
            long number,
            BatchJobState state,
            List<String> messages,
            @Nullable Instant endedAt) {}

    PastEnrollments(JobHistory history) {
        this.history = history;
    }

    /** The tag of all enrollments in a campaign. */
    static String tag(String campaign) {
        return "campaign:" + campaign;
    }

    /**
     * A customer's newest enrollments.
     *
     * @param campaign empty for all
     */
    List<PastEnrollment> find(Customer customer, String campaign) {
        return tasks(customer, campaign)
                .map(task -> new PastEnrollment(
                        task.id(),
                        task.description(),
                        task.state(),
                        task.total(),
                        task.succeeded(),
                        task.failed(),
                        task.createdAt()))
                .toList();
    }

    /**
     * Products of a customer's newest enrollments.
     *
     * @param campaign empty for all
     * @param states empty for any
     * @param text words of a message, or their beginnings; empty for any
     */
    List<PastProduct> findProducts(Customer customer, String campaign, Set<BatchJobState> states, String text) {
        return tasks(customer, campaign)
                .flatMap(task -> jobs(task, states, text).stream().map(job -> product(task, job)))
                .limit(MOST)
                .toList();
    }

    private Stream<HistoryTask> tasks(Customer customer, String campaign) {
        TaskSearch own = TaskSearch.all().withName(NAME).withCreatedBy(customer.name());
        return history.tasks(campaign.isEmpty() ? own : own.withTag(tag(campaign)), null, MOST).items().stream();
    }

    private List<HistoryEvent> jobs(HistoryTask task, Set<BatchJobState> states, String text) {
        EventSearch search = new EventSearch(task.id(), states, null, null, null, text, null, null, Order.INDEX);
        return history.events(search, null, MOST).items();
    }

    private static PastProduct product(HistoryTask task, HistoryEvent job) {
        return new PastProduct(
                task.id(), task.description(), job.index() + 1, job.state(), job.messages(), job.endedAt());
    }
}
