package dev.jobs;

import dev.jobs.codec.AnyFailure;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * The application's extensions of client, engine and administration, each list in calling order. The lists never change.
 *
 * <p>Whatever a listener or handler throws is logged and ignored, except an {@link OutOfMemoryError}, which is rethrown
 * and ends a worker.
 *
 * @param argumentMasks hide arguments in the log lines of a worker about failed jobs
 * @param tools what features give to running jobs, by type
 */
@Internal
public record JobHooks(
        List<EnqueueMiddleware> enqueueMiddleware,
        List<JobMiddleware> jobMiddleware,
        List<RetryPolicy> retryPolicies,
        List<DeathHandler> deathHandlers,
        List<JobErrorHandler> errorHandlers,
        List<JobListener> listeners,
        List<ArgumentMask> argumentMasks,
        Map<Class<?>, Object> tools) {

    private static final Logger log = LoggerFactory.getLogger(JobHooks.class);

    /** Without tools. */
    public JobHooks(
            List<EnqueueMiddleware> enqueueMiddleware,
            List<JobMiddleware> jobMiddleware,
            List<RetryPolicy> retryPolicies,
            List<DeathHandler> deathHandlers,
            List<JobErrorHandler> errorHandlers,
            List<JobListener> listeners,
            List<ArgumentMask> argumentMasks) {
        this(
                enqueueMiddleware,
                jobMiddleware,
                retryPolicies,
                deathHandlers,
                errorHandlers,
                listeners,
                argumentMasks,
                Map.of());
    }

    /** Without masks and tools. */
    public JobHooks(
            List<EnqueueMiddleware> enqueueMiddleware,
            List<JobMiddleware> jobMiddleware,
            List<RetryPolicy> retryPolicies,
            List<DeathHandler> deathHandlers,
            List<JobErrorHandler> errorHandlers,
            List<JobListener> listeners) {
        this(enqueueMiddleware, jobMiddleware, retryPolicies, deathHandlers, errorHandlers, listeners, List.of());
    }

    /** These hooks with a tool that a feature gives to running jobs. */
    public <T> JobHooks with(Class<T> type, T tool) {
        Map<Class<?>, Object> more = new HashMap<>(tools);
        more.put(type, tool);
        return new JobHooks(
                enqueueMiddleware,
                jobMiddleware,
                retryPolicies,
                deathHandlers,
                errorHandlers,
                listeners,
                argumentMasks,
                Map.copyOf(more));
    }

    /** The tool of a type; null if there is none. */
    public <T> @Nullable T tool(Class<T> type) {
        return type.cast(tools.get(type));
    }

    /** These hooks with other death handlers. */
    public JobHooks withDeathHandlers(List<DeathHandler> others) {
        return new JobHooks(
                enqueueMiddleware,
                jobMiddleware,
                retryPolicies,
                others,
                errorHandlers,
                listeners,
                argumentMasks,
                tools);
    }

    /** No hooks at all. */
    public static JobHooks none() {
        return new JobHooks(List.of(), List.of(), List.of(), List.of(), List.of(), List.of());
    }

    /**
     * Lets every enqueue middleware follow a call of a client.
     *
     * @param batch the id of the batch that the call fills; null outside batches
     */
    public EnqueueCall begin(@Nullable String batch) {
        return FollowedCall.of(enqueueMiddleware, batch);
    }

    /** Calls every listener; an exception of one is logged and ignored. */
    public void tell(Consumer<JobListener> event) {
        for (JobListener listener : listeners) {
            guarded("job listener", () -> event.accept(listener));
        }
    }

    /** Whether any death handler is listening. */
    public boolean hearsOfDeaths() {
        return deathHandlers.stream().anyMatch(JobHooks::isListening);
    }

    private static boolean isListening(DeathHandler handler) {
        try {
            return handler.isListening();
        } catch (Throwable e) {
            AnyFailure.passOutOfMemory(e);
            AnyFailure.log(log, Level.WARN, "A death handler's isListening() failed, so the handler is called", e);
            return true;
        }
    }

    /** Calls every listening death handler; an exception of one is logged and passed to the error handlers. */
    public void died(Payload payload, @Nullable Throwable failure) {
        for (DeathHandler handler : deathHandlers) {
            if (!isListening(handler)) {
                continue;
            }
            guarded("death handler", () -> {
                try {
                    handler.died(payload, failure);
                } catch (Throwable e) {
                    AnyFailure.passOutOfMemory(e);
                    failed(e, "A death handler failed", payload);
                    throw e;
                }
            });
        }
    }

    /** Calls every error handler; an exception of one is logged and ignored. */
    public void failed(Throwable error, String context, @Nullable Payload payload) {
        for (JobErrorHandler handler : errorHandlers) {
            guarded("job error handler", () -> handler.failed(error, context, payload));
        }
    }

    static void guarded(String what, Runnable call) {
        try {
            call.run();
        } catch (Throwable e) {
            AnyFailure.passOutOfMemory(e);
            AnyFailure.log(log, Level.WARN, "A " + what + " failed and is ignored", e);
        }
    }
}
