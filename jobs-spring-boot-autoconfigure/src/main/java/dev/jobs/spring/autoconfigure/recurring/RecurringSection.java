package dev.jobs.spring.autoconfigure.recurring;

import dev.jobs.Internal;
import dev.jobs.recurring.Missed;
import dev.jobs.recurring.Overlap;
import dev.jobs.recurring.RecurringJob;
import dev.jobs.recurring.RecurringJob.Origin;
import dev.jobs.recurring.RecurringJobs;
import dev.jobs.spring.autoconfigure.operations.Answer;
import dev.jobs.spring.autoconfigure.operations.Section;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Recurring jobs in the endpoint. */
@Internal
public final class RecurringSection implements Section {

    private final @Nullable RecurringJobs jobs;

    /**
     * A recurring job without its arguments.
     *
     * @param origin where it is declared; API if it isn't
     * @param declaredBy the application that declares it; null if none does
     * @param mostMissed how many missed times are made up for at most; null unless all are
     * @param next when it is due; null if its cron text is not understood or it is paused
     */
    public record Recurring(
            String name,
            String cron,
            String job,
            @Nullable String queue,
            boolean enabled,
            Missed missed,
            @Nullable Integer mostMissed,
            Overlap overlap,
            Origin origin,
            @Nullable String declaredBy,
            @Nullable Instant lastEnqueued,
            @Nullable Instant next) {

        static Recurring of(RecurringJob job, Instant now) {
            return new Recurring(
                    job.name(),
                    job.cron(),
                    job.job(),
                    job.queue(),
                    job.enabled(),
                    job.missed(),
                    job.missed() == Missed.ALL ? job.mostMissed() : null,
                    job.overlap(),
                    job.origin(),
                    job.declaredBy(),
                    job.lastEnqueued(),
                    job.enabled() ? job.next(now, 1).stream().findFirst().orElse(null) : null);
        }
    }

    /** @param jobs null if there are none */
    public RecurringSection(@Nullable RecurringJobs jobs) {
        this.jobs = jobs;
    }

    @Override
    public String name() {
        return "recurring";
    }

    @Override
    public boolean isList() {
        return true;
    }

    @Override
    public Answer list(boolean unfinished, long from) {
        Instant now = Instant.now();
        List<Recurring> all = jobs == null
                ? List.of()
                : jobs.list().stream().map(job -> Recurring.of(job, now)).toList();
        return Answer.found(Map.of(name(), all, "declaredChanges", jobs == null ? List.of() : jobs.declaredChanges()));
    }
}
