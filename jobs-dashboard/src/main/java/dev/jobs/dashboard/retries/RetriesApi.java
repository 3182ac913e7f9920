package dev.jobs.dashboard.retries;

import dev.jobs.Internal;
import dev.jobs.InvalidPayloadException;
import dev.jobs.JobDefinition;
import dev.jobs.JobHooks;
import dev.jobs.JobRegistry;
import dev.jobs.Payload;
import dev.jobs.dashboard.web.ApiRequest;
import dev.jobs.dashboard.web.Problem;
import dev.jobs.dashboard.web.Route;
import dev.jobs.retries.DeclaredRetry;
import dev.jobs.retries.RetriesAhead;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Which rule decides about a job that fails, and what that means for its next failures. */
@Internal
public final class RetriesApi {

    private static final int MOST_RULE = 2_000;
    private static final int MOST_FAILURES = 100_000;
    private static final int MOST_WAITS = 5;

    /** In milliseconds. */
    private record WaitView(int attempt, long least, long longest) {}

    private record RetryView(
            String decides,
            String policy,
            @Nullable Integer retries,
            List<WaitView> waits,
            List<String> includes,
            List<String> excludes) {}

    private final @Nullable JobRegistry registry;
    private final JobHooks hooks;

    /**
     * @param registry null if the jobs are those of another application
     * @param hooks those of this application
     */
    public RetriesApi(@Nullable JobRegistry registry, JobHooks hooks) {
        this.registry = registry;
        this.hooks = hooks;
    }

    public Map<String, Route> routes() {
        return Map.of("GET api/retry", Route.look(this::retry));
    }

    /** Of what a page knows of a job: its name, how often it failed, and some members of its payload as JSON. */
    private Object retry(ApiRequest request) {
        String name = request.text("name", ApiRequest.MOST_NAME);
        int failures = (int) request.number("failures", 0, 0, MOST_FAILURES);
        JobDefinition job = registry == null ? null : registry.find(name).orElse(null);
        RetriesAhead ahead = RetriesAhead.of(payload(request), job, hooks, failures, MOST_WAITS);
        DeclaredRetry declared = job == null ? null : job.rule(DeclaredRetry.class);
        return new RetryView(
                ahead.decides().name().toLowerCase(Locale.ROOT),
                ahead.policy(),
                ahead.retries(),
                waits(ahead, failures),
                declared == null ? List.of() : names(declared.includes()),
                declared == null ? List.of() : names(declared.excludes()));
    }

    private static Payload payload(ApiRequest request) {
        String retry = request.textOrNull("retry", MOST_RULE);
        String time = request.textOrNull("time", MOST_RULE);
        String rule = request.textOrNull("rule", MOST_RULE);
        String json = "{\"retry\":" + retry + ",\"retry_for\":" + time + ",\"jobs_retry\":" + rule + "}";
        try {
            return Payload.parse(json.getBytes(StandardCharsets.UTF_8));
        } catch (InvalidPayloadException e) {
            throw Problem.badParameter("rule", "a member of a payload");
        }
    }

    private static List<WaitView> waits(RetriesAhead ahead, int failures) {
        List<WaitView> waits = new ArrayList<>();
        for (RetriesAhead.Wait wait : ahead.waits()) {
            waits.add(new WaitView(
                    failures + waits.size() + 1,
                    wait.least().toMillis(),
                    wait.longest().toMillis()));
        }
        return waits;
    }

    private static List<String> names(List<Class<? extends Throwable>> types) {
        return types.stream().map(Class::getName).toList();
    }
}
