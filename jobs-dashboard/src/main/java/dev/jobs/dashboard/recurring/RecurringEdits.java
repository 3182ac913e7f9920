package dev.jobs.dashboard.recurring;

import dev.jobs.ArgumentMasking;
import dev.jobs.InvalidPayloadException;
import dev.jobs.JobCall;
import dev.jobs.JobDefinition;
import dev.jobs.Payload;
import dev.jobs.PayloadTimes;
import dev.jobs.codec.ParameterType;
import dev.jobs.dashboard.jobs.KnownJobs;
import dev.jobs.dashboard.jobs.WrittenArguments;
import dev.jobs.dashboard.web.ApiRequest;
import dev.jobs.dashboard.web.Audit;
import dev.jobs.dashboard.web.Problem;
import dev.jobs.dashboard.web.Route;
import dev.jobs.dashboard.web.Shown;
import dev.jobs.recurring.CronSchedule;
import dev.jobs.recurring.InvalidCronException;
import dev.jobs.recurring.Missed;
import dev.jobs.recurring.Overlap;
import dev.jobs.recurring.Recurrence;
import dev.jobs.recurring.RecurringJob;
import dev.jobs.recurring.RecurringJobs;
import java.time.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalInt;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Recurring jobs that people make, change and delete, and take that back. */
final class RecurringEdits {

    static final int MOST_NAME = 200;
    private static final int MOST_SCHEDULE = 500;
    private static final int MOST_DESCRIPTION = 500;
    private static final int MOST_COPY = 64;
    private static final int SLOTS = 10;

    /** Bytes of an argument; a longer one stays as it is. */
    private static final int VALUE = 2_000;

    /** What every job has. */
    private static final Set<String> PLAIN = Set.of("retry", "queue", "class", "args", "jid", "created_at");

    /** What changes without anybody changing it. */
    private static final Set<String> OF_ITS_RUNS =
            Set.of("status", "last_enqueue_time", "jobs_enqueued", "jobs_passed", "jobs_due");

    private record Argument(@Nullable String type, @Nullable String name, String json, boolean cut, boolean masked) {}

    /** @param declared the application that declares it; null if none does */
    private record Editable(
            String name,
            String job,
            @Nullable String queue,
            String schedule,
            String description,
            Missed missed,
            int mostMissed,
            Overlap overlap,
            @Nullable String declared,
            List<Argument> arguments) {}

    /**
     * @param utc whether the schedule is in UTC without saying so
     * @param delay whether it is a delay, which has no rules for missed times and overlaps
     */
    private record NextTimes(String schedule, boolean utc, boolean delay, List<Long> next) {}

    private final RecurringJobs recurring;
    private final KnownJobs known;
    private final ArgumentMasking masking;
    private final WrittenArguments written;
    private final Clock clock;

    RecurringEdits(RecurringJobs recurring, KnownJobs known, ArgumentMasking masking, Clock clock) {
        this.recurring = recurring;
        this.known = known;
        this.masking = masking;
        this.written = new WrittenArguments(known);
        this.clock = clock;
    }

    Map<String, Route> routes() {
        return Map.of(
                "GET api/recurring/slots", Route.look(this::slots),
                "GET api/recurring/one", Route.look(this::one),
                "POST api/recurring/save", Route.act(this::save),
                "POST api/recurring/delete", Route.act(this::delete),
                "POST api/recurring/undo", Route.act(this::undo));
    }

    /** What a schedule means, while it is written. */
    private Object slots(ApiRequest request) {
        CronSchedule schedule = schedule(request);
        return new NextTimes(
                schedule.text(),
                !schedule.namesZone(),
                schedule.isDelay(),
                schedule.next(clock.instant(), SLOTS).stream()
                        .flatMap(slot -> Stream.ofNullable(Shown.millis(slot)))
                        .toList());
    }

    private static CronSchedule schedule(ApiRequest request) {
        try {
            return CronSchedule.parse(request.text("schedule", MOST_SCHEDULE));
        } catch (InvalidCronException e) {
            throw new Problem(400, "bad-schedule", String.valueOf(e.getMessage()));
        }
    }

    private Object one(ApiRequest request) {
        RecurringJob job = recurring
                .find(request.text("name", MOST_NAME))
                .orElseThrow(() -> Problem.notFound("There is no recurring job of that name"));
        return new Editable(
                job.name(),
                job.job(),
                job.queue(),
                job.cron(),
                job.description(),
                job.missed(),
                job.mostMissed(),
                job.overlap(),
                job.declaredBy(),
                arguments(editable(job)));
    }

    /** Its payload. What only another application can say of a job would be lost. */
    private Payload editable(RecurringJob job) {
        boolean ofRuby = Stream.of("active_job", "date_as_argument")
                .anyMatch(flag -> !job.text(flag).matches("|0|false"));
        try {
            Payload payload = job.payload("", Instant.EPOCH, PayloadTimes.MILLISECONDS);
            boolean plain = PLAIN.containsAll(payload.names()) && Boolean.TRUE.equals(payload.get("retry"));
            if (!ofRuby
                    && payload.args().size() <= WrittenArguments.MOST
                    && (plain || known.definition(job.job()).isPresent())) {
                return payload;
            }
        } catch (InvalidPayloadException e) {
            // said below
        }
        throw new Problem(409, "not-editable", "Its stored fields are not a job that can be edited here");
    }

    private List<Argument> arguments(Payload stored) {
        List<ParameterType> parameters =
                known.definition(stored.name()).map(JobDefinition::parameters).orElse(List.of());
        List<@Nullable Object> before = stored.args();
        List<@Nullable Object> shown = masking.shown(stored).args();
        List<Argument> arguments = new ArrayList<>();
        for (int i = 0; i < shown.size(); i++) {
            ParameterType parameter = i < parameters.size() ? parameters.get(i) : null;
            byte[] json = Shown.json(shown.get(i));
            arguments.add(new Argument(
                    parameter == null ? null : WrittenArguments.simple(parameter.type()),
                    parameter == null ? null : parameter.name(),
                    Shown.cut(json, VALUE),
                    json.length > VALUE,
                    !Objects.equals(before.get(i), shown.get(i))));
        }
        return arguments;
    }

    /** With {@code create}, it must not be there yet; else it must. */
    private Object save(ApiRequest request) {
        String name = request.text("name", MOST_NAME);
        RecurringJob before = recurring.find(name).orElse(null);
        boolean creates = request.flag("create");
        if (creates && before != null) {
            throw new Problem(409, "exists", "There is a recurring job of that name");
        }
        if (!creates && before == null) {
            throw new Problem(409, "gone", "There is no recurring job of that name");
        }
        String job = before == null ? request.text("job", ApiRequest.MOST_NAME) : before.job();
        CronSchedule schedule = schedule(request);
        List<@Nullable Object> arguments = written.read(
                job,
                request.parts("arguments", WrittenArguments.MOST, WrittenArguments.MOST_TEXT),
                before == null ? List.of() : editable(before).args(),
                OptionalInt.empty());
        String queue = request.textOrNull("to", ApiRequest.MOST_NAME);
        String description = request.textOrNull("description", MOST_DESCRIPTION);
        Recurrence plain = rules(request, schedule, before).description(Objects.requireNonNullElse(description, ""));
        Recurrence recurrence = queue == null || queue.isEmpty() ? plain : plain.queue(queue);
        String copy = before == null ? null : recurring.keep(name);
        Audit.changing(
                request,
                (creates ? "create" : "change") + " recurring job " + name + ": " + job + " at " + schedule.text(),
                () -> {
                    recurring.save(name, recurrence, JobCall.named(job, arguments.toArray()));
                    return true;
                });
        return changed(true, name, copy);
    }

    /** What the request leaves out stays, except beside a delay, which has no such rules. */
    private static Recurrence rules(ApiRequest request, CronSchedule schedule, @Nullable RecurringJob before) {
        Recurrence plain = Recurrence.cron(schedule.text());
        Recurrence stays = before == null || schedule.isDelay()
                ? plain
                : plain.overlap(before.overlap()).missed(before.missed()).mostMissed(before.mostMissed());
        Missed missed = request.choice("missed", Missed.class, stays.missed());
        int most = (int) request.number("mostMissed", stays.mostMissed(), 1, Recurrence.MOST_MISSED);
        Overlap overlap = request.choice("overlap", Overlap.class, stays.overlap());
        return new Recurrence(plain.cron(), null, null, "", missed, most, overlap);
    }

    private Object delete(ApiRequest request) {
        String name = request.text("name", MOST_NAME);
        String copy = recurring.keep(name);
        return changed(
                Audit.changing(request, "delete recurring job " + name, () -> recurring.delete(name)), name, copy);
    }

    /** @param undo the copy of what was there before; null if nothing was */
    private Object changed(boolean changed, String name, @Nullable String undo) {
        Map<String, @Nullable Object> answer = new LinkedHashMap<>();
        answer.put("changed", changed);
        answer.put("undo", undo);
        answer.put("version", version(name));
        return answer;
    }

    /** The same as long as nobody changes, deletes or creates it, however often it is fired, paused and resumed. */
    private String version(String name) {
        Map<String, String> fields =
                new HashMap<>(recurring.find(name).map(RecurringJob::fields).orElse(Map.of()));
        fields.keySet().removeAll(OF_ITS_RUNS);
        return Integer.toHexString(fields.hashCode());
    }

    /** Takes back a change or a deletion; without a copy, a creation. */
    private Object undo(ApiRequest request) {
        String name = request.text("name", MOST_NAME);
        String copy = request.textOrNull("undo", MOST_COPY);
        if (!version(name).equals(request.text("version", MOST_COPY))) {
            throw new Problem(409, "changed-since", "It was changed again since");
        }
        return Map.of(
                "changed",
                Audit.changing(
                        request,
                        "undo the change of recurring job " + name,
                        () -> copy == null ? recurring.delete(name) : recurring.restore(name, copy)));
    }
}
