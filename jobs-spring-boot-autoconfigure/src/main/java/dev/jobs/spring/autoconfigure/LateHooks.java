package dev.jobs.spring.autoconfigure;

import dev.jobs.EnqueueCall;
import dev.jobs.EnqueueMiddleware;
import dev.jobs.JobHooks;
import dev.jobs.JobListener;
import dev.jobs.Payload;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The application's hooks for client, limiters and administration, looked up when first used. A hook may itself enqueue
 * jobs, such as a death handler that sends a mail through a job; with an earlier lookup, client and hook would depend
 * on each other.
 */
final class LateHooks {

    private LateHooks() {}

    /** The hooks that client, limiters and administration call. */
    static JobHooks of(Supplier<JobHooks> hooks) {
        return new JobHooks(
                List.of(new EnqueueMiddleware() {
                    @Override
                    public @Nullable Payload enqueue(Payload payload, Chain next) {
                        return LateHooks.enqueue(hooks.get(), payload, next);
                    }

                    @Override
                    public EnqueueCall begin(@Nullable String batch) {
                        return hooks.get().begin(batch);
                    }
                }),
                List.of(),
                List.of(),
                List.of((payload, failure) -> hooks.get().died(payload, failure)),
                List.of((error, context, payload) -> hooks.get().failed(error, context, payload)),
                List.of(new JobListener() {
                    @Override
                    public void enqueued(String name, String queue, int count, boolean scheduled) {
                        hooks.get().tell(each -> each.enqueued(name, queue, count, scheduled));
                    }

                    @Override
                    public void notStored(String name, String queue, int count) {
                        hooks.get().tell(each -> each.notStored(name, queue, count));
                    }

                    @Override
                    public void duplicates(String name, String queue, int count, String holder) {
                        hooks.get().tell(each -> each.duplicates(name, queue, count, holder));
                    }

                    @Override
                    public void limited(String limiter, Duration waited, boolean refused) {
                        hooks.get().tell(each -> each.limited(limiter, waited, refused));
                    }
                }));
    }

    private static @Nullable Payload enqueue(JobHooks hooks, Payload payload, EnqueueMiddleware.Chain next) {
        Payload changed = EnqueueMiddleware.apply(hooks.enqueueMiddleware(), payload);
        return changed == null ? null : next.proceed(changed);
    }
}
