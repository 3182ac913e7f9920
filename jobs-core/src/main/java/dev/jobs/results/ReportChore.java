package dev.jobs.results;

import dev.jobs.Internal;
import dev.jobs.JobStoreException;
import dev.jobs.engine.ClaimedJob;
import dev.jobs.engine.RunContext;
import dev.jobs.results.JobReports.Report;
import dev.jobs.results.JobReports.Running;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** Sends what running jobs report, at most once a second for each. */
@Internal
public final class ReportChore {

    private static final Duration EACH = Duration.ofSeconds(1);

    private final JobReports reports;
    private final RunContext context;
    private final Supplier<Stream<ClaimedJob>> held;

    /** @param held the jobs that this process holds */
    public ReportChore(JobReports reports, RunContext context, Supplier<Stream<ClaimedJob>> held) {
        this.reports = reports;
        this.context = context;
        this.held = held;
    }

    private record Sent(JobReport from, Report news) {}

    /** Sends what is new. Returns how long until the next run. */
    public Duration runOnce() {
        List<Running> running = new ArrayList<>();
        List<Sent> sent = new ArrayList<>();
        String incarnation = context.lease().current().id();
        for (ClaimedJob job : held.get().toList()) {
            JobReport report = job.part(JobReport.class);
            if (report == null || !job.isOurs() || !job.incarnation().id().equals(incarnation)) {
                continue;
            }
            Report news = job.jid().isEmpty() ? null : report.news(context.nanos());
            if (news != null) {
                running.add(new Running(job.token(), job.jid(), news));
                sent.add(new Sent(report, news));
            }
        }
        try {
            if (!running.isEmpty()) {
                reports.note(incarnation, running);
                sent.forEach(each -> each.from().kept(each.news()));
            }
            context.outage().worked("reports");
        } catch (JobStoreException e) {
            context.outage().failed("reports", e); // what was sent is sent again, and found there if it arrived
        }
        return EACH;
    }
}
