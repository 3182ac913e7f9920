package dev.jobs.dashboard.actions;

import dev.jobs.ArgumentSeal;
import dev.jobs.Internal;
import dev.jobs.JobClient;
import dev.jobs.JobDefinition;
import dev.jobs.JobStoreException;
import dev.jobs.Payload;
import dev.jobs.admin.JobRecord;
import dev.jobs.admin.JobSet;
import dev.jobs.admin.ListedJob;
import dev.jobs.admin.Order;
import dev.jobs.admin.ScanBudget;
import dev.jobs.admin.Workforce;
import dev.jobs.assembly.JobsAdmin;
import dev.jobs.dashboard.jobs.Finder;
import dev.jobs.dashboard.jobs.JobPlace;
import dev.jobs.dashboard.jobs.KnownJobs;
import dev.jobs.dashboard.jobs.Views;
import dev.jobs.dashboard.jobs.WrittenArguments;
import dev.jobs.dashboard.live.Sampler;
import dev.jobs.dashboard.web.ApiRequest;
import dev.jobs.dashboard.web.Audit;
import dev.jobs.dashboard.web.Feature;
import dev.jobs.dashboard.web.Problem;
import dev.jobs.dashboard.web.Route;
import dev.jobs.dashboard.web.Shown;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalInt;
import java.util.SortedSet;
import org.jspecify.annotations.Nullable;

/**
 * Enqueues jobs by hand: new ones, and others like a stored one with other arguments. A request with {@code check}
 * only says what would be stored.
 */
@Internal
public final class EnqueueApi implements Feature {

    private static final int MOST_NAMES = 500;
    private static final int MOST_QUEUES = 200;
    private static final int MOST_KEY = 100;
    private static final int MOST_ID = 200;
    private static final int JID_BYTES = 12;
    private static final int MOST_NEWEST = 500;
    private static final Duration TIME = Duration.ofMillis(400);

    /** The year 9999. */
    private static final long LATEST = 253_402_300_799_999L;

    private record Known(List<String> jobs, List<String> queues) {}

    /** @param arguments how many it takes; null if that is not known */
    private record KnownJob(
            String name,
            boolean here,
            String queue,
            List<String> queues,
            @Nullable Integer arguments,
            List<WrittenArguments.Parameter> parameters) {}

    /**
     * A job as it would be stored.
     *
     * @param workers processes that take jobs from its queue
     * @param known whether one of them knows it; null if they don't say
     * @param batch whether the job before it is in a batch, in which this one isn't
     * @param lock whether the job before it has a lock or is debounced, and this one isn't
     */
    private record Preview(
            String job,
            String queue,
            @Nullable Long at,
            String args,
            List<String> tags,
            int workers,
            @Nullable Boolean known,
            boolean paused,
            boolean batch,
            boolean lock) {}

    /**
     * A job that was stored.
     *
     * @param undo the batch of the trash with the job before it, or null
     * @param doubt why the job may not have been stored, while the one before it is in the trash; null if it was stored
     */
    private record Stored(
            String jid,
            String place,
            String queue,
            @Nullable String undo,
            @Nullable String doubt) {}

    /**
     * A job that is not stored yet.
     *
     * @param inBatch whether the job before it is in a batch
     * @param losesLock whether the job before it has a lock or is debounced, and this one isn't
     */
    private record Draft(
            String name,
            Map<String, @Nullable Object> members,
            @Nullable Instant at,
            boolean inBatch,
            boolean losesLock) {

        String jid() {
            return String.valueOf(members.get("jid"));
        }

        String queue() {
            return String.valueOf(members.getOrDefault("queue", "default"));
        }
    }

    private final JobsAdmin admin;
    private final JobClient client;
    private final KnownJobs known;
    private final Views views;
    private final Finder finder;
    private final Clock clock;
    private final WrittenArguments written;
    private final CarriedMembers carried;
    private final TargetQueues targets;

    public EnqueueApi(
            JobsAdmin admin,
            JobClient client,
            KnownJobs known,
            Views views,
            Finder finder,
            TargetQueues targets,
            Clock clock) {
        this.admin = admin;
        this.client = client.now();
        this.known = known;
        this.views = views;
        this.finder = finder;
        this.clock = clock;
        this.targets = targets;
        this.written = new WrittenArguments(known);
        this.carried = new CarriedMembers(known);
    }

    @Override
    public String name() {
        return "enqueue";
    }

    @Override
    public Map<String, Route> routes() {
        return Map.of(
                "GET api/known", Route.look(this::known),
                "GET api/known/job", Route.look(this::knownJob),
                "POST api/enqueue", Route.act(this::enqueue),
                "POST api/jobs/again", Route.act(this::again),
                "POST api/enqueue/undo", Route.act(this::undo));
    }

    /** Names of jobs and queues, for suggestions: of jobs those that workers know, of queues the largest. */
    private Object known(ApiRequest request) {
        Workforce workforce = admin.processes().workforce();
        return new Known(
                known.names(workforce).stream()
                        .map(name -> Shown.cut(name, ApiRequest.MOST_NAME))
                        .limit(MOST_NAMES)
                        .toList(),
                admin.queues().sizes().entrySet().stream()
                        .sorted(Sampler.LARGEST_FIRST)
                        .map(queue -> Shown.cut(queue.getKey(), ApiRequest.MOST_NAME))
                        .limit(MOST_QUEUES)
                        .toList());
    }

    private Object knownJob(ApiRequest request) {
        String name = request.text("name", ApiRequest.MOST_NAME);
        Workforce workforce = admin.processes().workforce();
        requireKnown(workforce, name);
        JobDefinition job = known.definition(name).orElse(null);
        SortedSet<String> queues = workforce.queues(name);
        String queue = job != null
                ? String.valueOf(job.options().get("queue"))
                : queues.isEmpty() ? "default" : queues.first();
        OptionalInt arguments = job != null ? OptionalInt.of(job.parameters().size()) : workforce.parameters(name);
        return new KnownJob(
                name,
                job != null,
                queue,
                queues.stream().limit(MOST_QUEUES).toList(),
                arguments.isPresent() ? arguments.getAsInt() : null,
                job == null ? List.of() : written.parameters(job));
    }

    private void requireKnown(Workforce workforce, String name) {
        if (!known.names(workforce).contains(name)) {
            throw new Problem(409, "unknown-job", "No live worker knows this job, so it would wait for one");
        }
    }

    private Object enqueue(ApiRequest request) {
        String name = request.text("job", ApiRequest.MOST_NAME);
        Workforce workforce = admin.processes().workforce();
        requireKnown(workforce, name);
        List<@Nullable Object> arguments = written.read(
                name,
                request.parts("arguments", WrittenArguments.MOST, WrittenArguments.MOST_TEXT),
                List.of(),
                workforce.parameters(name));
        Map<String, @Nullable Object> members = new LinkedHashMap<>();
        members.put("class", name);
        known.definition(name)
                .ifPresent(job -> members.put("queue", job.options().get("queue")));
        Draft draft = draft(request, members, arguments, CarriedTags.NONE, false, false);
        return request.flag("check")
                ? preview(draft, workforce)
                : store(request, "enqueue " + name + " in queue " + draft.queue(), draft, null);
    }

    /** Another job like a stored one. The arguments that it hides can stay, but not go anywhere else. */
    private Object again(ApiRequest request) {
        JobPlace place = JobPlace.of(request);
        Finder.Selection found = finder.all(place, List.of(request.text("key", MOST_KEY)));
        if (found.jobs().isEmpty()) {
            throw new Problem(409, found.partial() ? "not-found-in-time" : "gone", "The job is no longer there");
        }
        ListedJob listed = found.jobs().get(0);
        Payload stored = listed.job().payload();
        if (stored == null || !stored.hasArgsArray() || stored.name() == null || stored.length() > Views.MOST_READ) {
            throw new Problem(409, "not-editable", "The job can't be read, or is too large to be edited");
        }
        if (ArgumentSeal.isSealed(stored)) {
            throw new Problem(
                    409,
                    "not-editable",
                    "The arguments are encrypted, so they can't be edited, and not be those of another job");
        }
        // the form has no more, and those that it doesn't have would be missing
        if (stored.args().size() > WrittenArguments.MOST) {
            throw new Problem(
                    409,
                    "not-editable",
                    "The job has more than " + WrittenArguments.MOST + " arguments, so it can't be edited");
        }
        String name = Objects.requireNonNull(stored.name());
        Workforce workforce = admin.processes().workforce();
        List<@Nullable Object> arguments = written.read(
                name,
                request.parts("arguments", WrittenArguments.MOST, WrittenArguments.MOST_TEXT),
                stored.args(),
                OptionalInt.empty());
        CarriedTags tags = CarriedTags.of(stored, views.payload(stored));
        Map<String, @Nullable Object> members = carried.of(stored, name, arguments);
        boolean losesLock = carried.losesLock(stored, name, members);
        Draft draft = draft(request, members, arguments, tags, stored.has("jb"), losesLock);
        if (request.flag("check")) {
            return preview(draft, workforce);
        }
        String what = "enqueue " + name + " in queue " + draft.queue() + " like a job in " + place.label();
        return request.flag("instead")
                ? replace(request, what + " and delete that", place, listed, draft)
                : store(request, what, draft, null);
    }

    private Draft draft(
            ApiRequest request,
            Map<String, @Nullable Object> members,
            List<@Nullable Object> arguments,
            CarriedTags tags,
            boolean inBatch,
            boolean losesLock) {
        members.put("args", arguments);
        String queue = request.textOrNull("to", ApiRequest.MOST_NAME);
        if (queue != null && !queue.isEmpty()) {
            members.put("queue", queue);
        }
        if (request.has("tags")) {
            members.put("tags", tags.written(lines(request)));
        }
        if (members.get("tags") instanceof List<?> all && all.stream().allMatch(String.class::isInstance)) {
            List<String> texts = all.stream().map(String.class::cast).toList();
            members.put("tags", tags.hidden(texts, views.payload(Payload.of(members))));
        }
        String target = String.valueOf(members.getOrDefault("queue", "default"));
        targets.require(target);
        members.put("queue", target);
        members.put("jid", targets.id(target, EnqueueApi::newJid));
        String name = String.valueOf(members.get("class"));
        targets.require(Payload.of(members), known.definition(name).orElse(null));
        Instant at = request.has("at") ? Instant.ofEpochMilli(request.number("at", 0, 0, LATEST)) : null;
        return new Draft(name, members, at, inBatch, losesLock);
    }

    private static List<String> lines(ApiRequest request) {
        return request.parts("tags", Views.MOST_TAG_LINES, Views.MOST_TAG_LINE).stream()
                .map(line -> {
                    if (line == null) {
                        throw Problem.badParameter("tags", "a list of texts");
                    }
                    return line;
                })
                .toList();
    }

    /** Known before the job is sent, so that it can be found if the answer is lost. */
    private static String newJid() {
        byte[] jid = new byte[JID_BYTES];
        new SecureRandom().nextBytes(jid);
        return HexFormat.of().formatHex(jid);
    }

    private Preview preview(Draft draft, Workforce workforce) {
        Payload payload = Payload.of(draft.members());
        Payload shown = views.payload(payload);
        return new Preview(
                draft.name(),
                draft.queue(),
                Shown.millis(draft.at()),
                Views.arguments(shown),
                Views.tags(shown),
                workforce.workers(draft.queue()),
                workforce.knows(draft.queue(), payload),
                admin.queues().paused().contains(draft.queue()),
                draft.inBatch(),
                draft.losesLock());
    }

    /**
     * The other job goes to the trash first: then it never waits beside the new one, and its lock is free. It comes
     * back if the new one was certainly not stored.
     */
    private Stored replace(ApiRequest request, String what, JobPlace place, ListedJob listed, Draft draft) {
        String batch = java.util.UUID.randomUUID().toString();
        JobSet set = place.set();
        // A line of its own, before the other one: whatever happens now, the trash may have that job.
        boolean gone = Audit.changing(
                request,
                "delete job " + listed.job().jid() + ", to replace it by job " + draft.jid(),
                () -> (set != null
                                        ? admin.trash().delete(set, List.of(listed.job()), batch, deleted -> {})
                                        : admin.trash().delete(place.queue(), List.of(listed), batch, deleted -> {}))
                                .done()
                        > 0);
        if (!gone) {
            throw new Problem(409, "gone", "The job is no longer there");
        }
        try {
            return store(request, what, draft, batch);
        } catch (RuntimeException e) {
            if (e instanceof JobStoreException failure && failure.mayHaveRun()) {
                return stored(draft, draft.jid(), batch, e.getMessage());
            }
            try {
                admin.trash().restoreBatch(batch, TIME);
            } catch (RuntimeException restoring) {
                e.addSuppressed(restoring); // the trash keeps it
            }
            throw e;
        }
    }

    private Stored store(ApiRequest request, String what, Draft draft, @Nullable String batch) {
        String jid = null;
        try {
            jid = (draft.at() != null ? client.at(draft.at()) : client).push(draft.members());
        } finally {
            Audit.done(request, what, jid == null ? 0 : 1);
        }
        if (jid == null) {
            throw new Problem(409, "not-stored", "A middleware or the lock of another job kept it from being stored");
        }
        return stored(draft, jid, batch, null);
    }

    private Stored stored(Draft draft, String jid, @Nullable String batch, @Nullable String doubt) {
        boolean later = draft.at() != null && draft.at().isAfter(clock.instant());
        return new Stored(jid, later ? "scheduled" : "queue", draft.queue(), batch, doubt);
    }

    /** Takes back a job that has just been enqueued here, and restores the one that it replaced. */
    private Object undo(ApiRequest request) {
        String jid = request.text("jid", MOST_ID);
        String undo = request.textOrNull("undo", 64);
        boolean later = request.word("place", "queue", "scheduled").equals("scheduled");
        String batch = java.util.UUID.randomUUID().toString();
        long done = 0;
        try {
            done = later
                    ? admin.trash()
                            .delete(JobSet.SCHEDULED, scheduled(jid), batch, deleted -> {})
                            .done()
                    : fromQueue(request.text("queue", ApiRequest.MOST_NAME), jid, batch);
            if (done > 0 && undo != null) {
                admin.trash().restoreBatch(undo, TIME);
            }
        } finally {
            Audit.done(request, "undo the enqueueing of job " + jid, done);
        }
        return Map.of("done", done);
    }

    private List<JobRecord> scheduled(String jid) {
        return admin.sets().findById(JobSet.SCHEDULED, jid, ScanBudget.standard()).items().stream()
                .map(ListedJob::job)
                .toList();
    }

    private long fromQueue(String queue, String jid, String batch) {
        List<ListedJob> found = newest(queue, jid, ScanBudget.standard());
        return found.isEmpty()
                ? fromAnyQueue(jid, batch)
                : admin.trash().delete(queue, found, batch, deleted -> {}).done();
    }

    /** A middleware may have put it into another queue than the draft had; there it is one of the newest. */
    private long fromAnyQueue(String jid, String batch) {
        long start = System.nanoTime();
        for (Map.Entry<String, Long> each : admin.queues().sizes().entrySet()) {
            Duration left = TIME.minusNanos(System.nanoTime() - start);
            if (left.isNegative()) {
                break;
            }
            if (each.getValue() > 0) {
                List<ListedJob> found = newest(each.getKey(), jid, new ScanBudget(MOST_NEWEST, left));
                if (!found.isEmpty()) {
                    return admin.trash()
                            .delete(each.getKey(), found, batch, deleted -> {})
                            .done();
                }
            }
        }
        return 0;
    }

    private List<ListedJob> newest(String queue, String jid, ScanBudget budget) {
        return admin.queues()
                .jobs(queue, Order.NEWEST_FIRST, job -> jid.equals(job.jid()), 0, 1, budget)
                .items();
    }
}
