package dev.jobs.spring.observation;

import io.micrometer.common.KeyValue;
import io.micrometer.common.KeyValues;

/**
 * Names a call {@code jobs.enqueue}. Keys of low cardinality: {@code job}, {@code queue}. Keys of high cardinality:
 * {@code jid} or {@code count}, {@code batch}, and those of OpenTelemetry's messaging conventions.
 */
public class DefaultJobEnqueueConvention implements JobEnqueueConvention {

    @Override
    public String getName() {
        return "jobs.enqueue";
    }

    @Override
    public String getContextualName(JobEnqueueContext context) {
        return "enqueue " + context.job();
    }

    @Override
    public KeyValues getLowCardinalityKeyValues(JobEnqueueContext context) {
        return KeyValues.of("job", context.job(), "queue", context.queue());
    }

    @Override
    public KeyValues getHighCardinalityKeyValues(JobEnqueueContext context) {
        KeyValues keys = Messaging.keys("enqueue", "send", context.queue());
        String jid = context.jid();
        String count = String.valueOf(context.count());
        keys = jid == null
                ? keys.and("count", count, "messaging.batch.message_count", count)
                : keys.and("jid", jid, "messaging.message.id", jid);
        String batch = context.batch();
        return batch == null ? keys : keys.and(KeyValue.of("batch", batch));
    }
}
