package dev.jobs.dashboard.job;

import dev.jobs.Internal;
import dev.jobs.assembly.JobsAdmin;
import dev.jobs.dashboard.batches.BatchViews;
import dev.jobs.dashboard.jobs.Finder;
import dev.jobs.dashboard.results.ProgressApi;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Looks for a job by its id in all places of an installation, and in what remembers jobs that are in none. */
@Internal
public final class JobSearch {

    /** @param told whether the job, if it is nowhere, has left progress or log lines */
    public record Found(List<Finder.Hit> found, boolean partial, BatchViews.@Nullable Membership batch, boolean told) {}

    private final JobsAdmin admin;
    private final Finder finder;

    public JobSearch(JobsAdmin admin, Finder finder) {
        this.admin = admin;
        this.finder = finder;
    }

    public Found find(String jid) {
        Finder.Hits hits = finder.byId(jid);
        boolean told = hits.found().isEmpty() && ProgressApi.hasAny(admin, jid);
        return new Found(hits.found(), hits.partial(), batch(jid), told);
    }

    /** Its batch knows a job also when it is in no queue or set any more. */
    BatchViews.@Nullable Membership batch(@Nullable String jid) {
        return jid == null
                ? null
                : admin.batches().membership(jid).map(BatchViews::membership).orElse(null);
    }
}
