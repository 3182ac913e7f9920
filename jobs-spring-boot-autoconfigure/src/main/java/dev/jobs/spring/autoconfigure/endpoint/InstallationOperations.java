package dev.jobs.spring.autoconfigure.endpoint;

import dev.jobs.ArgumentMasking;
import dev.jobs.Internal;
import dev.jobs.JobStoreException;
import dev.jobs.JobsException;
import dev.jobs.admin.JobSkew;
import dev.jobs.admin.Stats;
import dev.jobs.assembly.EngineConfig;
import dev.jobs.assembly.EngineHealth;
import dev.jobs.assembly.JobEngine;
import dev.jobs.assembly.JobsAdmin;
import dev.jobs.batches.Batches;
import dev.jobs.recurring.RecurringJobs;
import dev.jobs.spring.autoconfigure.batches.BatchSection;
import dev.jobs.spring.autoconfigure.limits.LimitSection;
import dev.jobs.spring.autoconfigure.operations.Answer;
import dev.jobs.spring.autoconfigure.operations.Change;
import dev.jobs.spring.autoconfigure.operations.Section;
import dev.jobs.spring.autoconfigure.recurring.RecurringSection;
import dev.jobs.spring.autoconfigure.unique.LockSection;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;

/** What the endpoint does in one installation. */
@Internal
public final class InstallationOperations {

    public static final String QUEUES = QueueSection.NAME;
    public static final String PROCESSES = ProcessSection.NAME;
    public static final String LIMITS = "limits";

    /** Stands for the identity of this process. */
    public static final String SELF = ProcessSection.SELF;

    private final JobsAdmin admin;
    private final @Nullable JobEngine engine;
    private final List<Section> sections;

    /**
     * The numbers at a glance.
     *
     * @param worker the worker of this process, or null if there is none
     * @param skew jobs that the live workers know differently, as while two versions are alive
     */
    public record Overview(Stats stats, @Nullable EngineHealth worker, List<JobSkew> skew) {}

    /**
     * @param served the queues that the engine serves, known before its first heartbeat
     * @param more sections of features that say the same in all installations
     */
    public InstallationOperations(
            JobsAdmin admin,
            @Nullable RecurringJobs recurring,
            @Nullable Batches batches,
            @Nullable JobEngine engine,
            Set<String> served,
            ArgumentMasking masking,
            List<Section> more) {
        this.admin = admin;
        this.engine = engine;
        List<Section> all = new ArrayList<>(List.of(
                new QueueSection(admin, served),
                new ProcessSection(admin, engine),
                new RecurringSection(recurring),
                new BatchSection(admin.batches(), batches),
                new LimitSection(admin.limits()),
                new LockSection(admin.locks(), masking)));
        all.addAll(more);
        this.sections = List.copyOf(all);
    }

    /** The queues of the worker in this process; none if it has none, or one that the application makes itself. */
    public static List<String> served(@Nullable EngineConfig config) {
        return config == null
                ? List.of()
                : config.capsules().stream()
                        .flatMap(each -> each.queues().stream())
                        .toList();
    }

    /** {@code GET /actuator/jobs} */
    public WebEndpointResponse<Object> overview() {
        return answer(() -> found(numbers()));
    }

    /** Whether this process runs jobs of it. */
    public boolean hasWorker() {
        return engine != null;
    }

    /** @throws JobStoreException if they can't be read now */
    public Overview numbers() {
        return new Overview(
                admin.stats(),
                engine == null ? null : engine.health(),
                admin.processes().workforce().skew());
    }

    /**
     * {@code GET /actuator/jobs/queues}, {@code …/processes}, {@code …/recurring}, {@code …/batches}, {@code …/limits}
     * and {@code …/locks}
     *
     * @param unfinished whether to list only batches that are not over
     * @param from the first batch to list; 0 if it is not given
     */
    public WebEndpointResponse<Object> list(String section, @Nullable Boolean unfinished, @Nullable Long from) {
        return answer(() -> response(section(section)
                .map(each -> each.list(unfinished != null && unfinished, from == null ? 0 : Math.max(0, from)))
                .orElseGet(() -> noSection(section))));
    }

    /**
     * {@code GET /actuator/jobs/queues/NAME}, {@code …/processes/IDENTITY}, {@code …/batches/ID} and
     * {@code …/limits/NAME}
     */
    public WebEndpointResponse<Object> one(String section, String name) {
        return in(section, each -> each.one(name));
    }

    /**
     * {@code POST /actuator/jobs/queues/NAME} with the action pause or resume, {@code …/processes/IDENTITY} with the
     * action quiet, {@code …/batches/ID} with the action cancel, or retry for its dead jobs, {@code …/limits/NAME}
     * with the action set or reset
     *
     * @param concurrency for the action set: how many jobs with the same key may run at once
     * @param rate for the action set: how many jobs with the same key may start in the time {@code per}
     * @param per that time, such as {@code 20s}
     * @param burst how many of them may start at once after a quiet time; as many as the rate if it is not given
     */
    public WebEndpointResponse<Object> change(
            String section,
            String name,
            String action,
            @Nullable Integer concurrency,
            @Nullable Integer rate,
            @Nullable String per,
            @Nullable Integer burst) {
        return in(
                section,
                each -> each.actions().contains(action)
                        ? each.change(name, new Change(action, concurrency, rate, per, burst))
                        : noAction(action));
    }

    private Optional<Section> section(String name) {
        return sections.stream().filter(each -> each.name().equals(name)).findFirst();
    }

    private WebEndpointResponse<Object> in(String section, Function<Section, Answer> operation) {
        return answer(() -> response(
                section(section).filter(each -> !each.isList()).map(operation).orElseGet(() -> noSection(section))));
    }

    private Answer noAction(String action) {
        return Answer.wrong("The action '" + action + "' is unknown: "
                + sections.stream()
                        .filter(each -> !each.actions().isEmpty())
                        .map(each -> each.name() + " take " + String.join(" and ", each.actions()))
                        .collect(Collectors.joining(", ")));
    }

    private Answer noSection(String name) {
        List<String> names = sections.stream().map(Section::name).toList();
        int last = names.size() - 1;
        return Answer.notFound(
                names.contains(name)
                        ? "The section '" + name + "' is a list: none of its entries can be read or changed alone"
                        : "There is no section '" + name + "': the sections are "
                                + String.join(", ", names.subList(0, last)) + " and " + names.get(last));
    }

    private static WebEndpointResponse<Object> response(Answer answer) {
        return new WebEndpointResponse<>(answer.body(), answer.status());
    }

    public static WebEndpointResponse<Object> found(Object body) {
        return response(Answer.found(body));
    }

    public static WebEndpointResponse<Object> problem(int status, String text) {
        return response(Answer.problem(status, text));
    }

    public static WebEndpointResponse<Object> answer(Supplier<WebEndpointResponse<Object>> operation) {
        try {
            return operation.get();
        } catch (JobStoreException e) {
            return problem(WebEndpointResponse.STATUS_SERVICE_UNAVAILABLE, String.valueOf(e.getMessage()));
        } catch (JobsException e) {
            return problem(WebEndpointResponse.STATUS_BAD_REQUEST, String.valueOf(e.getMessage()));
        }
    }
}
