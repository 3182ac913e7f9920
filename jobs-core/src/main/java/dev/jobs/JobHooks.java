package dev.jobs;

import dev.jobs.codec.AnyFailure;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * The application's extensions of client, engine and administration: for each kind a list, in calling order; and what
 * features give to running jobs. Lists are read at each call.
 *
 * <p>Whatever a listener or handler throws is logged and ignored, except an {@link OutOfMemoryError}, which is rethrown
 * and ends a worker.
 */
@Internal
public final class JobHooks {

    /** The kinds of extensions. */
    public static final List<Class<?>> KINDS = List.of(
            EnqueueMiddleware.class,
            JobMiddleware.class,
            RetryPolicy.class,
            DeathHandler.class,
            JobErrorHandler.class,
            JobListener.class,
            ArgumentMask.class);

    private static final Logger log = LoggerFactory.getLogger(JobHooks.class);
    private static final JobHooks NONE = new JobHooks(Map.of());

    private final Map<Class<?>, List<?>> all;
    private final List<EnqueueMiddleware> enqueueMiddleware;
    private final List<JobMiddleware> jobMiddleware;
    private final List<DeathHandler> deathHandlers;
    private final List<JobListener> listeners;

    private JobHooks(Map<Class<?>, List<?>> all) {
        this.all = all;
        this.enqueueMiddleware = all(EnqueueMiddleware.class);
        this.jobMiddleware = all(JobMiddleware.class);
        this.deathHandlers = all(DeathHandler.class);
        this.listeners = all(JobListener.class);
    }

    /** No hooks at all. */
    public static JobHooks none() {
        return NONE;
    }

    /**
     * These hooks with some of a kind, in place of those of this kind.
     *
     * @throws IllegalArgumentException if it is none of {@link #KINDS}
     */
    public <T> JobHooks with(Class<T> kind, List<? extends T> hooks) {
        if (!KINDS.contains(kind)) {
            throw new IllegalArgumentException("'kind' must be one of "
                    + KINDS.stream().map(Class::getSimpleName).collect(Collectors.joining(", ")) + " but was "
                    + kind.getName());
        }
        return and(kind, hooks);
    }

    private JobHooks and(Class<?> kind, List<?> hooks) {
        Map<Class<?>, List<?>> more = new HashMap<>(all);
        more.put(kind, hooks);
        return new JobHooks(Collections.unmodifiableMap(more));
    }

    /** These hooks with one of a kind, in place of those of this kind; otherwise like the other method. */
    public <T> JobHooks with(Class<T> kind, T hook) {
        return with(kind, List.of(hook));
    }

    /** These hooks with a tool that a feature gives to running jobs, in place of the one of this type. */
    public <T> JobHooks withTool(Class<T> type, T tool) {
        return and(type, List.of(tool));
    }

    /** Those of a kind. */
    @SuppressWarnings("unchecked") // see with
    public <T> List<T> all(Class<T> kind) {
        return (List<T>) all.getOrDefault(kind, List.of());
    }

    /** The tool of a type; null if there is none. */
    public <T> @Nullable T tool(Class<T> type) {
        List<T> tools = all(type);
        return tools.isEmpty() ? null : tools.get(0);
    }

    public List<EnqueueMiddleware> enqueueMiddleware() {
        return enqueueMiddleware;
    }

    public List<JobMiddleware> jobMiddleware() {
        return jobMiddleware;
    }

    public List<JobListener> listeners() {
        return listeners;
    }

    /**
     * Lets every enqueue middleware follow a call of a client.
     *
     * @param batch the id of the batch that the call fills; null outside batches
     */
    public EnqueueCall begin(@Nullable String batch) {
        List<EnqueueCall> followers = new ArrayList<>(enqueueMiddleware.size());
        for (EnqueueMiddleware each : enqueueMiddleware) {
            guarded("enqueue middleware", () -> {
                EnqueueCall follower = each.begin(batch);
                if (follower != EnqueueCall.NONE) {
                    followers.add(follower);
                }
            });
        }
        return followers.isEmpty() ? EnqueueCall.NONE : new Followed(followers);
    }

    /** A call that middleware follows. */
    private record Followed(List<EnqueueCall> followers) implements EnqueueCall {

        @Override
        public Payload add(Payload given) {
            Payload[] draft = {given};
            followers.forEach(each -> guarded("enqueue middleware", () -> draft[0] = each.add(draft[0])));
            return draft[0];
        }

        @Override
        public void end(@Nullable Throwable failure) {
            followers.forEach(each -> guarded("enqueue middleware", () -> each.end(failure)));
        }
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
        for (JobErrorHandler handler : all(JobErrorHandler.class)) {
            guarded("job error handler", () -> handler.failed(error, context, payload));
        }
    }

    private static void guarded(String what, Runnable call) {
        try {
            call.run();
        } catch (Throwable e) {
            AnyFailure.passOutOfMemory(e);
            AnyFailure.log(log, Level.WARN, "A " + what + " failed and is ignored", e);
        }
    }
}
