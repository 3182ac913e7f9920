package dev.jobs.assembly;

import dev.jobs.Internal;
import dev.jobs.JobRule;
import dev.jobs.JobRules;
import dev.jobs.deaths.DeathRules;
import dev.jobs.encryption.EncryptionRules;
import dev.jobs.ends.EndRules;
import dev.jobs.iterations.IterationPart;
import dev.jobs.limits.LimitRules;
import dev.jobs.ordered.JobOrder;
import dev.jobs.recurring.CronRules;
import dev.jobs.results.KeptResult;
import dev.jobs.retries.RetryRules;
import dev.jobs.unique.UniqueRules;
import java.util.List;

/** What the features of this jar say of jobs; named in {@code META-INF/services}. */
@Internal
public final class FeatureRules extends JobRules {

    @Override
    protected List<JobRule> list() {
        return List.of(
                new EndRules(),
                new RetryRules(),
                new JobOrder(),
                new UniqueRules(),
                new KeptResult.Rules(),
                new LimitRules(),
                new CronRules(),
                new IterationPart.Rules(),
                new DeathRules(),
                new EncryptionRules());
    }
}
