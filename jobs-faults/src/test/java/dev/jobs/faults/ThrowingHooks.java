package dev.jobs.faults;

import dev.jobs.DeathHandler;
import dev.jobs.JobContext;
import dev.jobs.JobErrorHandler;
import dev.jobs.JobHooks;
import dev.jobs.JobListener;
import dev.jobs.JobMiddleware;
import dev.jobs.Payload;
import dev.jobs.RetryPolicy;
import java.time.Duration;
import java.util.Random;
import java.util.ServiceConfigurationError;
import org.jspecify.annotations.Nullable;

/** Listeners, handlers and policies that throw errors of all kinds, or interrupt their thread, in one call of five. */
final class ThrowingHooks implements JobListener, DeathHandler, JobErrorHandler, RetryPolicy {

    private static final int KINDS = 6;
    private static final int CALLS = 5 * KINDS;

    private final Random random = new Random(42);

    /** Combined with this middleware, which throws nothing, since that would fail the job. */
    static JobHooks with(JobMiddleware middleware) {
        ThrowingHooks hooks = new ThrowingHooks();
        return JobHooks.none()
                .with(JobMiddleware.class, middleware)
                .with(RetryPolicy.class, hooks)
                .with(DeathHandler.class, hooks)
                .with(JobErrorHandler.class, hooks)
                .with(JobListener.class, hooks);
    }

    private void call() {
        switch (random.nextInt(CALLS)) {
            case 0 -> throw new Error("an error of no kind");
            case 1 -> throw new ServiceConfigurationError("no service");
            case 2 -> throw new NoClassDefFoundError("NoClass");
            case 3 -> throw new FaultJobs.Mute();
            case 4 -> throw new IllegalStateException("no state");
            case 5 -> Thread.currentThread().interrupt();
            default -> {
                // succeeds
            }
        }
    }

    @Override
    public void started(JobContext job) {
        if (random.nextInt(CALLS) < KINDS - 1) { // an interruption would hit the job
            throw new Error("at the start");
        }
    }

    @Override
    public void abandoned(JobContext job) {
        call();
    }

    @Override
    public void finished(JobContext job, Ending ending, Duration took, @Nullable Throwable failure) {
        call();
    }

    @Override
    public void promoted(String name, String queue, Duration lateness) {
        call();
    }

    @Override
    public void recovered(int requeued, int poisoned) {
        call();
    }

    @Override
    public void exchanged(int settled, int claimed, Duration took) {
        call();
    }

    @Override
    public void settlementRefused(int count) {
        call();
    }

    @Override
    public void engineChanged(EngineState state) {
        throw new Error("at a change");
    }

    @Override
    public void died(Payload payload, @Nullable Throwable failure) {
        call();
    }

    @Override
    public void failed(Throwable error, String context, @Nullable Payload payload) {
        call();
    }

    @Override
    public @Nullable Decision decide(Payload payload, int count, Throwable failure) {
        call();
        return null;
    }
}
