package dev.jobs.limits;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.jobs.ArgumentSeal;
import dev.jobs.Internal;
import dev.jobs.InvalidPayloadException;
import dev.jobs.JobDefinition;
import dev.jobs.JobRegistry;
import dev.jobs.Payload;
import dev.jobs.engine.CapsuleConfig;
import dev.jobs.engine.ClaimLine;
import dev.jobs.engine.ClaimedJob;
import dev.jobs.engine.HeldJobs;
import dev.jobs.engine.JobEffects;
import dev.jobs.engine.JobGate;
import dev.jobs.engine.JobRoutes;
import dev.jobs.engine.JobRoutes.Route;
import dev.jobs.engine.JobRunner;
import dev.jobs.engine.Outcome;
import dev.jobs.engine.RunContext;
import dev.jobs.redis.RedisKeys;
import dev.jobs.store.ClaimGate;
import dev.jobs.store.Effect;
import dev.jobs.store.JobClaims;
import dev.jobs.store.PayloadMark;
import dev.jobs.unique.JobLock;
import dev.jobs.unique.UniqueRule;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Knows which jobs have limits: those of the code and those of a call. Looks at the bytes of each claimed job, and
 * reads only those that may have some. Thread-safe.
 */
@Internal
public final class LimitedJobs implements JobEffects.Part, JobGate {

    private static final Logger log = LoggerFactory.getLogger(LimitedJobs.class);

    /** The key of jobs whose own can't be found out: they wait for each other rather than run unlimited. */
    private static final String UNKNOWN = "?";

    private static final int LONGEST_KEY = 100;
    private static final int BEGINNING = 40;

    /** With more names than this, reading each job is cheaper than looking for the names. */
    private static final int FEW = 8;

    /**
     * The limits of which a job may hold permits; attached to those that have some, and to those of which only a thread
     * that runs jobs could find that out.
     *
     * @param isIterable whether the job is
     */
    private record Limits(List<JobLimit> all, boolean isIterable) {

        static final Limits NONE = new Limits(List.of(), false);
    }

    /** To find out the limits of a job, the application has to be called. Attached to such jobs. */
    private record Unread() {}

    /** What gives back the starts by rates that a job took; attached to those that took some. */
    private record Starts(Queue<Effect> giveBack) {

        Starts() {
            this(new ConcurrentLinkedQueue<>());
        }
    }

    private static final PayloadMark OF_CALL = PayloadMark.ofMember(LimitRule.MEMBER);

    private final JobRoutes routes;
    private final Map<String, LimitNumbers> numbers = new HashMap<>();
    private final QueueLimits queues;
    private final PermitEffects effects;
    private final Function<Payload, @Nullable String> batches;
    private final List<PayloadMark> names;
    private final boolean readsAll;
    private final Set<String> reported = ConcurrentHashMap.newKeySet();

    /** @param batches the batch of a job that ends without being run if that is cancelled; null if there is none */
    public LimitedJobs(
            JobRegistry registry, LimitConfig config, RedisKeys keys, Function<Payload, @Nullable String> batches) {
        this.batches = batches;
        this.routes = new JobRoutes(registry, registry.codec());
        this.effects = new PermitEffects(keys);
        Set<String> limited = new LinkedHashSet<>();
        for (JobDefinition definition : registry.definitions()) {
            if (!LimitRules.of(definition).isEmpty()) {
                limited.addAll(definition.allNames());
            }
            for (LimitRule rule : LimitRules.of(definition)) {
                LimitNumbers own = new LimitNumbers(rule.concurrency(), rule.rate());
                if (!own.equals(LimitNumbers.NONE)) {
                    numbers.merge(rule.name(), own, LimitNumbers::orLower);
                }
            }
        }
        config.limits().forEach((name, set) -> numbers.merge(name, set, (code, wins) -> wins.or(code)));
        config.queues().forEach((queue, most) -> numbers.put(QueueLimit.nameOf(queue), LimitNumbers.atOnce(most)));
        this.queues = new QueueLimits(config.queues());
        if (!limited.isEmpty()) {
            limited.addAll(registry.upcastNames());
        }
        this.names = limited.stream().map(PayloadMark::ofText).toList();
        this.readsAll = names.size() > FEW || !limited.stream().allMatch(LimitedJobs::isPlain);
    }

    /** Whether every JSON writer writes it as it is. */
    private static boolean isPlain(String name) {
        return name.chars().allMatch(c -> c > ' ' && c < 0x7f && c != '"' && c != '\\' && c != '/');
    }

    /** What limits allow for each key, by their names, as far as the code or the configuration says. */
    Map<String, LimitNumbers> numbers() {
        return numbers;
    }

    /** The limits of whole queues. */
    public QueueLimits queues() {
        return queues;
    }

    /**
     * The limits of a claimed job; usually none.
     *
     * @param mayCall whether the application may be called
     * @return null if it has to be, but may not
     */
    private @Nullable Limits of(ClaimedJob job, boolean mayCall) {
        byte[] stored = job.stored();
        boolean ofCall = OF_CALL.isIn(stored);
        if (!ofCall && !readsAll && names.stream().noneMatch(name -> name.isIn(stored))) {
            return Limits.NONE;
        }
        try {
            Payload payload = Payload.parse(stored);
            List<JobLimit> limits = new ArrayList<>();
            if (ofCall) {
                addOfCall(payload, limits);
            }
            String name = payload.name();
            if (name == null || limits.isEmpty() && names.isEmpty()) {
                return new Limits(limits, false);
            }
            Reading reading = new Reading(job, payload, name, mayCall);
            JobDefinition definition = reading.definition();
            if (definition != null) {
                addOfCode(reading, definition, limits);
            }
            return reading.mustCall ? null : new Limits(limits, definition != null && definition.isIterable());
        } catch (InvalidPayloadException e) {
            return Limits.NONE; // goes to the dead set
        }
    }

    /** Finds the method of one job, and its arguments. Calls upcasters and key finders only where the job needs them. */
    private final class Reading {

        private final ClaimedJob job;
        private final Payload payload;
        private final String name;
        private final String inner;
        private final boolean mayCall;

        /** The job needs them, and this thread may not call them. */
        private boolean mustCall;

        private @Nullable Route route;

        Reading(ClaimedJob job, Payload payload, String name, boolean mayCall) {
            this.job = job;
            this.payload = payload;
            this.name = name;
            this.inner = String.valueOf(payload.jobName());
            this.mayCall = mayCall;
        }

        @Nullable JobDefinition definition() {
            if (!routes.isUpcast(name, inner)) {
                return routes.definition(name, inner);
            }
            Route read = route(true);
            return read == null ? null : read.definition();
        }

        /** Those that the job is run with. */
        List<@Nullable Object> arguments() {
            Route read = route(ArgumentSeal.isSealed(payload));
            return read == null ? List.of() : JobRoutes.plain(read.arguments());
        }

        private @Nullable Route route(boolean calls) {
            if (route == null && calls && !mayCall) {
                mustCall = true;
            } else if (route == null) {
                route = routes.of(payload, name, inner);
                if (mayCall) {
                    job.attach(route); // it runs by this one, so that the application isn't called again
                }
            }
            return route;
        }
    }

    private void addOfCall(Payload payload, List<JobLimit> limits) {
        if (!(payload.get(LimitRule.MEMBER) instanceof List<?> given)) {
            return;
        }
        for (Object each : given) {
            if (each instanceof List<?> pair
                    && pair.size() == 2
                    && pair.get(0) instanceof String name
                    && LimitRule.isNameOfJobs(name)
                    && pair.get(1) instanceof String key
                    && limits.size() < LimitRule.MOST) {
                limits.add(new JobLimit(name, shortened(key), numbers.get(name)));
            }
        }
    }

    private void addOfCode(Reading reading, JobDefinition definition, List<JobLimit> limits) {
        for (LimitRule rule : LimitRules.of(definition)) {
            String key;
            try {
                key = rule.key(rule.arguments().isEmpty() ? List.of() : reading.arguments());
            } catch (RuntimeException e) {
                key = UNKNOWN;
                if (!reading.mustCall && reported.add(rule.name())) {
                    log.warn(
                            "The key of limit {} can't be made for a job {}; such jobs have the key '?' together. This is logged once",
                            rule.name(),
                            definition.name(),
                            e);
                }
            }
            limits.add(new JobLimit(rule.name(), shortened(key), numbers.get(rule.name())));
        }
    }

    /** Keys are parts of larger texts, which line breaks divide. */
    static String shortened(String key) {
        if (key.getBytes(UTF_8).length <= LONGEST_KEY && key.chars().noneMatch(Character::isISOControl)) {
            return key;
        }
        StringBuilder begin = new StringBuilder();
        key.codePoints().limit(BEGINNING).forEach(c -> begin.appendCodePoint(Character.isISOControl(c) ? ' ' : c));
        return begin + "#" + UniqueRule.digest("", key);
    }

    /**
     * By what a job is sorted among the parked jobs of its key: when it was enqueued, in milliseconds; null if it
     * doesn't say.
     */
    static @Nullable Long time(Payload payload) {
        for (String member : List.of("enqueued_at", "created_at")) {
            Instant at = payload.time(member);
            if (at != null) {
                return at.toEpochMilli();
            }
        }
        return null;
    }

    /** What keeps a claimed job from being run. A cancelled iterable job begins, and ends in its own way. */
    StartConditions conditions(ClaimedJob job, Payload payload) {
        if (payload.name() == null || !JobRunner.canRun(payload)) {
            return StartConditions.NONE;
        }
        Limits known = job.part(Limits.class);
        JobLock lock = JobLock.of(payload);
        return StartConditions.of(
                payload,
                known == null || !known.isIterable(),
                batches.apply(payload),
                lock != null && lock.isReplaceable() ? lock.digest() : null);
    }

    /** The limits of which a job may hold permits. */
    static List<JobLimit> limits(ClaimedJob job) {
        Limits known = job.part(Limits.class);
        return known == null ? List.of() : known.all();
    }

    /** A job took a start by a rate, which this gives back as long as it has not begun. */
    static void started(ClaimedJob job, Effect giveBack) {
        job.part(Starts.class, Starts::new).giveBack().add(giveBack);
    }

    private static void giveBackStarts(List<Effect> all, ClaimedJob job) {
        Starts starts = job.part(Starts.class);
        if (starts != null) {
            all.addAll(starts.giveBack());
        }
    }

    /** Gives back the starts by rates that a job took, unless the application's code has begun with it. */
    public static void unusedStarts(List<Effect> all, ClaimedJob job, @Nullable Outcome outcome) {
        if (!job.hasReachedCode()) {
            giveBackStarts(all, job);
        }
    }

    @Override
    public boolean mayStart(ClaimedJob job) {
        Limits limits = of(job, false);
        if (limits == null) {
            job.attach(new Unread());
        } else if (!limits.all().isEmpty()) {
            job.attach(limits);
        }
        String given = job.claimed().permit();
        Effect start = given == null ? null : effects.start(given, job.claimed().start());
        if (start != null) {
            started(job, start);
        }
        return limits == null || needsNoMore(job, limits);
    }

    @Override
    public boolean mayRun(ClaimedJob job) {
        if (job.part(Unread.class) == null || job.part(Limits.class) != null) {
            return true;
        }
        Limits limits = Objects.requireNonNull(of(job, true));
        job.attach(limits);
        return needsNoMore(job, limits);
    }

    /** Without limits, or with the permit of its only one, a job needs no more. */
    private static boolean needsNoMore(ClaimedJob job, Limits limits) {
        List<JobLimit> all = limits.all();
        return all.isEmpty()
                || all.size() == 1 && all.get(0).id().equals(job.claimed().permit());
    }

    @Override
    public Asks asks(CapsuleConfig capsule, Waiting waiting, JobClaims claims, RunContext context) {
        return new Admission(capsule, waiting, claims.over(Permits::new), this, context);
    }

    @Override
    public boolean mayShut(String queue) {
        return queues.isLimited(queue);
    }

    @Override
    public boolean isShut(String queue) {
        return queues.isFull(queue);
    }

    @Override
    public ClaimGate claimGate(
            List<String> from, HeldJobs held, List<ClaimedJob> batch, ClaimLine.@Nullable Exchange underWay) {
        return queues.claimGate(from, held, batch, underWay);
    }

    @Override
    public ClaimGate standingClaimGate(List<String> from) {
        return queues.standingClaimGate(from);
    }

    @Override
    public void answered(List<String> from, ClaimGate.@Nullable Shut shut) {
        queues.answered(from, shut);
    }

    @Override
    public boolean mayFreeQueue(ClaimedJob job) {
        return queues.mayHold(job);
    }

    @Override
    public boolean mayHaveSuccessor(ClaimedJob job) {
        return !limits(job).isEmpty() || queues.mayHold(job);
    }

    @Override
    public List<Effect> givenBack(ClaimedJob job) {
        List<Effect> all = new ArrayList<>();
        giveBackStarts(all, job);
        all.addAll(release(job));
        return all;
    }

    /** The effects by which a job gives back its permits when it ends or moves. */
    private List<Effect> release(ClaimedJob job) {
        List<JobLimit> all = new ArrayList<>(limits(job));
        String given = job.claimed().permit();
        if (given != null && all.stream().noneMatch(each -> each.id().equals(given))) {
            all.add(JobLimit.at(given));
        }
        addOfQueue(job, all);
        return all.isEmpty() ? List.of() : effects.of(job.incarnation().id(), job.queue(), all);
    }

    @Override
    public void ended(List<Effect> all, ClaimedJob job, @Nullable Outcome outcome) {
        all.addAll(release(job));
    }

    /** It gives back its starts first: the next job may have them at once. */
    @Override
    public void handedBack(List<Effect> all, ClaimedJob job) {
        unusedStarts(all, job, null);
        all.addAll(release(job));
    }

    private void addOfQueue(ClaimedJob job, List<JobLimit> all) {
        if (queues.mayHold(job)) {
            all.add(new JobLimit(QueueLimit.nameOf(job.queue()), "", null));
        }
    }

    /**
     * The effects by which a job that is parked gives back the permits with which it was claimed: that of its queue,
     * and that of a limit at which another version of the application, with other limits, had parked it.
     */
    List<Effect> releaseGiven(ClaimedJob job) {
        List<JobLimit> all = new ArrayList<>();
        String given = job.claimed().permit();
        if (given != null) {
            all.add(JobLimit.at(given));
        }
        addOfQueue(job, all);
        return all.isEmpty() ? List.of() : effects.of(job.incarnation().id(), job.queue(), all);
    }
}
