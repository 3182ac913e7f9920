package dev.jobs.spring.observation;

import dev.jobs.JobContext;
import dev.jobs.JobListener.Ending;
import dev.jobs.batches.JobBatch;
import io.micrometer.common.KeyValue;
import io.micrometer.common.KeyValues;
import java.util.Locale;

/**
 * Names an execution {@code jobs.perform}. Keys of low cardinality: {@code job}, {@code queue}, {@code outcome}, which
 * is {@code none} until the execution has ended. Keys of high cardinality: {@code jid}, {@code attempt},
 * {@code recoveries}, {@code batch}, and those of OpenTelemetry's messaging conventions.
 */
public class DefaultJobPerformConvention implements JobPerformConvention {

    @Override
    public String getName() {
        return "jobs.perform";
    }

    @Override
    public String getContextualName(JobPerformContext context) {
        return "perform " + context.job();
    }

    @Override
    public KeyValues getLowCardinalityKeyValues(JobPerformContext context) {
        return KeyValues.of("job", context.job(), "queue", context.execution().queue(), "outcome", outcome(context));
    }

    private static String outcome(JobPerformContext context) {
        Ending ending = context.ending();
        return ending == null ? KeyValue.NONE_VALUE : ending.name().toLowerCase(Locale.ROOT);
    }

    @Override
    public KeyValues getHighCardinalityKeyValues(JobPerformContext context) {
        JobContext job = context.execution();
        KeyValues keys = Messaging.keys("perform", "process", job.queue())
                .and("jid", job.jid(), "messaging.message.id", job.jid())
                .and("attempt", String.valueOf(job.attempt()), "recoveries", String.valueOf(job.recoveries()));
        return JobBatch.of(job)
                .map(batch -> keys.and(KeyValue.of("batch", batch.id())))
                .orElse(keys);
    }
}
