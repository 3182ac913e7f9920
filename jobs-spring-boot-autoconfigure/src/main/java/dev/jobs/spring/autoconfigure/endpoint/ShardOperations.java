package dev.jobs.spring.autoconfigure.endpoint;

import dev.jobs.ArgumentMasking;
import dev.jobs.JobStoreException;
import dev.jobs.JobsException;
import dev.jobs.admin.JobSkew;
import dev.jobs.admin.Page;
import dev.jobs.admin.ScanBudget;
import dev.jobs.admin.Stats;
import dev.jobs.assembly.EngineHealth;
import dev.jobs.assembly.JobEngine;
import dev.jobs.assembly.JobsAdmin;
import dev.jobs.batches.BatchStatus;
import dev.jobs.batches.Batches;
import dev.jobs.limits.LimitInfo;
import dev.jobs.limits.LimitRate;
import dev.jobs.recurring.CronSchedule;
import dev.jobs.recurring.RecurringJob;
import dev.jobs.recurring.RecurringJobs;
import dev.jobs.spring.BatchView;
import dev.jobs.unique.FoundLocks;
import dev.jobs.unique.HeldLock;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.convert.DurationStyle;

/** What the endpoint does in one shard. */
final class ShardOperations {

    static final String QUEUES = "queues";
    static final String PROCESSES = "processes";
    private static final String RECURRING = "recurring";
    private static final String BATCHES = "batches";
    static final String LIMITS = "limits";
    private static final String LOCKS = "locks";

    private static final String SECTIONS = "queues, processes, recurring, batches, limits and locks";

    private static final int MOST_BATCHES = 50;
    private static final ScanBudget LISTED = new ScanBudget(1_000, Duration.ofMillis(250));

    /** Stands for the identity of this process. */
    static final String SELF = "self";

    private final JobsAdmin admin;
    private final ArgumentMasking masking;
    private final @Nullable RecurringJobs recurring;
    private final @Nullable Batches batches;
    private final @Nullable JobEngine engine;
    private final Set<String> served;

    /**
     * The numbers at a glance.
     *
     * @param worker the worker of this process, or null if there is none
     * @param skew jobs that the live workers know differently, as while two versions are alive
     */
    record Overview(Stats stats, @Nullable EngineHealth worker, List<JobSkew> skew) {}

    /**
     * A recurring job without its arguments.
     *
     * @param next when it is due; null if its cron text is not understood or it is paused
     */
    record Recurring(
            String name,
            String cron,
            String job,
            @Nullable String queue,
            boolean enabled,
            @Nullable Instant lastEnqueued,
            @Nullable Instant next) {

        static Recurring of(RecurringJob job, Instant now) {
            CronSchedule schedule = job.enabled() ? job.schedule() : null;
            return new Recurring(
                    job.name(),
                    job.cron(),
                    job.job(),
                    job.queue(),
                    job.enabled(),
                    job.lastEnqueued(),
                    schedule == null ? null : schedule.next(now));
        }
    }

    /**
     * A page of batches.
     *
     * @param next what to pass as {@code from} for the next page; -1 if this is the last one
     * @param total number of all batches, or of all unfinished ones
     */
    record BatchList(List<BatchView> batches, long next, long total) {}

    /**
     * The locks of unique jobs, in no order.
     *
     * @param partial whether there may be more of them
     */
    record LockList(List<HeldLock> locks, boolean partial) {

        /** @param masked whether their digests would tell of masked arguments */
        static LockList of(FoundLocks found, boolean masked) {
            return new LockList(
                    masked
                            ? found.locks().stream()
                                    .map(each -> new HeldLock(ArgumentMasking.HIDDEN, each.holder(), each.left()))
                                    .toList()
                            : found.locks(),
                    found.partial());
        }
    }

    /** @param served the queues that the engine serves, known before its first heartbeat */
    ShardOperations(
            JobsAdmin admin,
            @Nullable RecurringJobs recurring,
            @Nullable Batches batches,
            @Nullable JobEngine engine,
            Set<String> served,
            ArgumentMasking masking) {
        this.masking = masking;
        this.admin = admin;
        this.recurring = recurring;
        this.batches = batches;
        this.engine = engine;
        this.served = Set.copyOf(served);
    }

    WebEndpointResponse<Object> overview() {
        return answer(() -> found(numbers()));
    }

    /** Whether this process runs jobs of the shard. */
    boolean hasWorker() {
        return engine != null;
    }

    /** @throws JobStoreException if they can't be read now */
    Overview numbers() {
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
    WebEndpointResponse<Object> list(String section, @Nullable Boolean unfinished, @Nullable Long from) {
        return answer(() -> switch (section) {
            case QUEUES -> found(Map.of(QUEUES, admin.queues().all()));
            case PROCESSES -> found(Map.of(PROCESSES, admin.processes().all()));
            case RECURRING -> found(Map.of(RECURRING, recurring()));
            case BATCHES -> found(batches(unfinished != null && unfinished, from == null ? 0 : Math.max(0, from)));
            case LIMITS -> found(Map.of(LIMITS, admin.limits().all()));
            case LOCKS -> found(LockList.of(admin.locks().all(LISTED), masking.mayHideKeys()));
            default -> noSection(section);
        });
    }

    /**
     * {@code GET /actuator/jobs/queues/NAME}, {@code …/processes/IDENTITY}, {@code …/batches/ID} and
     * {@code …/limits/NAME}
     */
    WebEndpointResponse<Object> one(String section, String name) {
        return answer(() -> switch (section) {
            case QUEUES ->
                isKnown(name) ? found(admin.queues().named(List.of(name)).get(0)) : noQueue(name);
            case PROCESSES ->
                admin.processes().all().stream()
                        .filter(each -> each.identity().equals(identity(name)))
                        .findFirst()
                        .map(ShardOperations::found)
                        .orElseGet(() -> noProcess(name));
            case BATCHES ->
                admin.batches()
                        .find(name)
                        .map(details -> found(view(details.status())))
                        .orElseGet(() -> noBatch(name));
            case LIMITS ->
                limit(name)
                        .map(ShardOperations::found)
                        .orElseGet(() -> problem(
                                WebEndpointResponse.STATUS_NOT_FOUND,
                                "No worker has declared a limit '" + name + "', and none was set"));
            default -> noSection(section);
        });
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
    WebEndpointResponse<Object> change(
            String section,
            String name,
            String action,
            @Nullable Integer concurrency,
            @Nullable Integer rate,
            @Nullable String per,
            @Nullable Integer burst) {
        return answer(() -> switch (section + " " + action) {
            case QUEUES + " pause" -> isKnown(name) ? done(admin.queues().pause(name)) : noQueue(name);
            case QUEUES + " resume" -> isKnown(name) ? done(admin.queues().resume(name)) : noQueue(name);
            case PROCESSES + " quiet" -> quiet(name);
            case BATCHES + " cancel" -> change(name, each -> done(each.cancel(name)));
            case BATCHES + " retry" -> change(name, each -> found(Map.of("retried", each.retryDead(name))));
            case LIMITS + " set" -> setLimit(name, concurrency, rate, per, burst);
            case LIMITS + " reset" -> done(admin.limits().reset(name));
            default ->
                isSection(section)
                        ? problem(
                                WebEndpointResponse.STATUS_BAD_REQUEST,
                                "The action '" + action
                                        + "' is unknown: queues take pause and resume, processes take quiet, batches take"
                                        + " cancel and retry, limits take set and reset")
                        : noSection(section);
        });
    }

    private WebEndpointResponse<Object> setLimit(
            String name,
            @Nullable Integer concurrency,
            @Nullable Integer jobs,
            @Nullable String per,
            @Nullable Integer burst) {
        if (concurrency == null && jobs == null || (jobs == null) != (per == null) || burst != null && jobs == null) {
            return problem(
                    WebEndpointResponse.STATUS_BAD_REQUEST,
                    "The action 'set' needs 'concurrency': how many jobs with the same key may run at once; or 'rate' and "
                            + "'per', with 'burst' or without: how many may start in that time; or both");
        }
        LimitRate rate = null;
        if (jobs != null && per != null) {
            try {
                rate = new LimitRate(
                        jobs, DurationStyle.detectAndParse(per, ChronoUnit.SECONDS), burst == null ? jobs : burst);
            } catch (IllegalArgumentException e) {
                return problem(WebEndpointResponse.STATUS_BAD_REQUEST, String.valueOf(e.getMessage()));
            }
        }
        if (rate == null) {
            return done(admin.limits().set(name, Objects.requireNonNull(concurrency)));
        }
        return done(
                concurrency == null
                        ? admin.limits().set(name, rate)
                        : admin.limits().set(name, concurrency, rate));
    }

    private Optional<LimitInfo> limit(String name) {
        return admin.limits().all().stream()
                .filter(each -> each.name().equals(name))
                .findFirst();
    }

    private List<Recurring> recurring() {
        Instant now = Instant.now();
        return recurring == null
                ? List.of()
                : recurring.list().stream().map(job -> Recurring.of(job, now)).toList();
    }

    private BatchList batches(boolean unfinished, long from) {
        Page<BatchStatus> page =
                admin.batches().list(unfinished, batch -> true, from, MOST_BATCHES, ScanBudget.standard());
        return new BatchList(page.items().stream().map(ShardOperations::view).toList(), page.next(), page.total());
    }

    private static BatchView view(BatchStatus batch) {
        return BatchView.of(batch, Instant.now());
    }

    private WebEndpointResponse<Object> change(String id, Function<Batches, WebEndpointResponse<Object>> action) {
        return batches == null || batches.find(id).isEmpty() ? noBatch(id) : action.apply(batches);
    }

    private WebEndpointResponse<Object> quiet(String name) {
        if (name.equals(SELF) && engine != null) {
            engine.quiet();
            return done(true);
        }
        return admin.processes().all().stream().anyMatch(each -> each.identity().equals(name))
                ? done(admin.processes().quiet(name))
                : noProcess(name);
    }

    private String identity(String name) {
        return name.equals(SELF) && engine != null ? engine.health().identity() : name;
    }

    /** Whether the queue ever had a job, or is paused, or a process serves it. */
    private boolean isKnown(String queue) {
        return served.contains(queue)
                || admin.queues().find(queue).isPresent()
                || admin.queues().paused().contains(queue)
                || admin.processes().all().stream()
                        .anyMatch(each -> each.queues().contains(queue));
    }

    static boolean isSection(String section) {
        return Set.of(QUEUES, PROCESSES, BATCHES, LIMITS).contains(section);
    }

    static WebEndpointResponse<Object> found(Object body) {
        return new WebEndpointResponse<>(body);
    }

    /** @param changed false if it was already in this state, which is not an error */
    private static WebEndpointResponse<Object> done(boolean changed) {
        return new WebEndpointResponse<>(Map.of("changed", changed));
    }

    private static WebEndpointResponse<Object> noSection(String section) {
        boolean isList = section.equals(RECURRING) || section.equals(LOCKS);
        return problem(
                WebEndpointResponse.STATUS_NOT_FOUND,
                isList
                        ? "The section '" + section + "' is a list: none of its entries can be read or changed alone"
                        : "There is no section '" + section + "': the sections are " + SECTIONS);
    }

    private static WebEndpointResponse<Object> noQueue(String queue) {
        return problem(
                WebEndpointResponse.STATUS_NOT_FOUND,
                "No job was ever in a queue '" + queue
                        + "', and no process with a heartbeat within the last minute serves it");
    }

    private static WebEndpointResponse<Object> noProcess(String identity) {
        return problem(
                WebEndpointResponse.STATUS_NOT_FOUND,
                "No process '" + identity + "' has sent a heartbeat within the last minute");
    }

    private static WebEndpointResponse<Object> noBatch(String id) {
        return problem(WebEndpointResponse.STATUS_NOT_FOUND, "There is no batch '" + id + "'");
    }

    static WebEndpointResponse<Object> problem(int status, String text) {
        return new WebEndpointResponse<>(Map.of("error", text), status);
    }

    static WebEndpointResponse<Object> answer(Supplier<WebEndpointResponse<Object>> operation) {
        try {
            return operation.get();
        } catch (JobStoreException e) {
            return problem(WebEndpointResponse.STATUS_SERVICE_UNAVAILABLE, String.valueOf(e.getMessage()));
        } catch (JobsException e) {
            return problem(WebEndpointResponse.STATUS_BAD_REQUEST, String.valueOf(e.getMessage()));
        }
    }
}
