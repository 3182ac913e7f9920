package dev.jobs.deaths;

import dev.jobs.ArgumentMasking;
import dev.jobs.DeathHandler;
import dev.jobs.Internal;
import dev.jobs.JobDefinition;
import dev.jobs.JobHooks;
import dev.jobs.JobRegistry;
import dev.jobs.Payload;
import dev.jobs.codec.AnyFailure;
import dev.jobs.codec.ArgumentCodec;
import dev.jobs.codec.OneLine;
import dev.jobs.codec.ParameterType;
import dev.jobs.engine.JobRoutes;
import dev.jobs.engine.JobRoutes.Route;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/** Calls the {@link OnDeath} methods of jobs that died. Thread-safe. */
@Internal
public final class JobDeaths implements DeathHandler {

    private static final Logger log = LoggerFactory.getLogger(JobDeaths.class);

    private final JobRoutes routes;
    private final ArgumentCodec codec;
    private final ArgumentMasking masking;
    private final JobHooks hooks;
    private final boolean any;

    /** @param hooks hear of the errors of these methods; they may contain this handler */
    public JobDeaths(JobRegistry jobs, ArgumentMasking masking, JobHooks hooks) {
        this.codec = jobs.codec();
        this.routes = new JobRoutes(jobs, codec);
        this.masking = masking;
        this.hooks = hooks;
        this.any = jobs.definitions().stream().anyMatch(each -> each.rule(DeathMethod.class) != null);
    }

    @Override
    public boolean isListening() {
        return any;
    }

    @Override
    public void died(Payload payload, @Nullable Throwable failure) {
        String name = payload.name();
        if (name == null) {
            return;
        }
        Route route = routes.of(payload, name, Objects.requireNonNull(payload.jobName()));
        JobDefinition job = route.definition();
        DeathMethod method = job == null ? null : job.rule(DeathMethod.class);
        if (job == null || method == null) {
            return;
        }
        @Nullable Object[] arguments;
        try {
            arguments = arguments(method, job, route);
        } catch (Throwable e) {
            report(e, method, payload, "is not called for", ": its arguments can't be read");
            return;
        }
        try {
            method.call(arguments, payload, failure);
        } catch (Throwable e) {
            report(e, method, payload, "failed for", ", and is not called again");
        }
    }

    /** Those that the method takes: it may be another one that let the job die. */
    private @Nullable Object[] arguments(DeathMethod method, JobDefinition job, Route route) throws Throwable {
        if (method.arguments() == 0) {
            return new @Nullable Object[0];
        }
        if (route.failure() != null) {
            throw route.failure();
        }
        List<ParameterType> parameters = job.parameters();
        int others = parameters.size() - method.arguments();
        return codec.decode(
                route.arguments(), parameters.subList(0, method.arguments()), others + job.ignoredArguments());
    }

    private void report(Throwable error, DeathMethod method, Payload payload, String what, String effect) {
        AnyFailure.passOutOfMemory(error);
        String message = "The @OnDeath method " + method + " " + what + " job " + OneLine.of(payload.jobName())
                + " (jid " + OneLine.of(payload.jid()) + ")" + effect;
        AnyFailure.log(log, Level.WARN, message, masking.shown(payload, error));
        hooks.failed(error, message, payload);
    }
}
