package dev.jobs.spring.autoconfigure;

import dev.jobs.EnqueueMiddleware;
import dev.jobs.JobHooks;
import dev.jobs.JobListener;
import dev.jobs.Payload;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The application's hooks for client and administration, looked up when the first job passes. A hook may itself want to enqueue a job, as a
 * death handler does that sends a mail by one: looked up earlier, client and hook would each wait for the other.
 */
final class LateHooks {

    private LateHooks() {}

    /** Those hooks that client and administration ask. */
    static JobHooks of(Supplier<JobHooks> hooks) {
        return new JobHooks(
                List.of((payload, next) -> enqueue(hooks.get(), payload, next)),
                List.of(),
                List.of(),
                List.of((payload, failure) -> hooks.get().died(payload, failure)),
                List.of((error, context, payload) -> hooks.get().failed(error, context, payload)),
                List.of(new JobListener() {
                    @Override
                    public void enqueued(String name, String queue, int count, boolean scheduled) {
                        hooks.get().tell(each -> each.enqueued(name, queue, count, scheduled));
                    }
                }));
    }

    private static @Nullable Payload enqueue(JobHooks hooks, Payload payload, EnqueueMiddleware.Chain next) {
        Payload changed = EnqueueMiddleware.apply(hooks.enqueueMiddleware(), payload);
        return changed == null ? null : next.proceed(changed);
    }
}
