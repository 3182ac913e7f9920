package dev.jobs.recurring;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.jobs.Internal;
import dev.jobs.InvalidPayloadException;
import dev.jobs.Job;
import dev.jobs.Payload;
import dev.jobs.PayloadTimes;
import dev.jobs.codec.OneLine;
import dev.jobs.codec.RawJson;
import dev.jobs.codec.RubyTime;
import java.time.Instant;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A recurring job as stored by Java or by Ruby's sidekiq-cron. An immutable snapshot.
 */
public final class RecurringJob {

    /** The field with the name of the declaring application. Ruby leaves unknown fields alone. */
    @Internal
    public static final String DECLARED_BY = "jobs_declared_by";

    /** The field with {@value #CONFIGURED} if the declaration is in the configuration of that application. */
    static final String ORIGIN = "jobs_origin";

    static final String ANNOTATED = "annotation";
    static final String CONFIGURED = "configuration";

    /** Where a recurring job comes from. */
    public enum Origin {
        /** A {@link Job} annotation declares it. */
        ANNOTATION,
        /** The configuration of an application declares it, in {@code jobs.recurring.schedules}. */
        CONFIGURATION,
        /** It was saved by {@link RecurringJobs}, or by Ruby. */
        API
    }

    /** The field that says what becomes of missed slots; missing by default. */
    @Internal
    public static final String MISSED = "jobs_missed";

    /** The field with the slot up to which all are decided, of a job that has {@link #MISSED}. */
    static final String PASSED = "jobs_passed";

    /** The field with {@code last_enqueue_time} as Java stored it last, of a job that has {@link #MISSED}. */
    static final String ENQUEUED = "jobs_enqueued";

    /** The field that says what becomes of slots that overlap; missing by default. */
    @Internal
    public static final String OVERLAP = "jobs_overlap";

    /** The field with the next slot of a fixed delay; missing while its job has not ended. */
    static final String DUE = "jobs_due";

    private static final Pattern ALL = Pattern.compile("all ([0-9]{1,4})");

    private static final String ACTIVE_JOB = "ActiveJob::QueueAdapters::SidekiqAdapter::JobWrapper";
    private static final String GLOBAL_ID = "_sc_globalid";

    private final String name;
    private final Map<String, String> fields;
    private final @Nullable CronSchedule schedule;
    private final Missed missed;
    private final int mostMissed;

    /**
     * @param name the name under which it is stored
     * @param fields the stored fields
     */
    public RecurringJob(String name, Map<String, String> fields) {
        this.name = name;
        this.fields = Collections.unmodifiableMap(new LinkedHashMap<>(fields));
        this.schedule = understood(cron(), due());
        String missedText = text(MISSED);
        Matcher all = ALL.matcher(missedText);
        int most = all.matches() ? Integer.parseInt(all.group(1)) : 0;
        if (most >= 1 && most <= Recurrence.MOST_MISSED) {
            this.missed = Missed.ALL;
            this.mostMissed = most;
        } else {
            this.missed = missedText.equals("skip")
                    ? Missed.SKIP
                    : missedText.equals("once") ? Missed.ONCE : Missed.WITHIN_GRACE;
            this.mostMissed = Recurrence.DEFAULT_MISSED;
        }
    }

    /** How {@link #MISSED} says it; null by default. */
    static @Nullable String missedText(Recurrence recurrence) {
        return switch (recurrence.missed()) {
            case WITHIN_GRACE -> recurrence.overlap() == Overlap.QUEUE ? "once" : null;
            case SKIP -> "skip";
            case ONCE -> "once";
            case ALL -> "all " + recurrence.mostMissed();
        };
    }

    private static @Nullable CronSchedule understood(String cron, @Nullable Instant due) {
        try {
            return CronSchedule.ofStored(cron, due);
        } catch (InvalidCronException e) {
            return null;
        }
    }

    /** Its name, unique in its namespace. */
    public String name() {
        return name;
    }

    /** The cron text, with its zone at the end if it has one. */
    public String cron() {
        return text("cron");
    }

    /**
     * The parsed cron text; null if it can't be parsed, such as natural language in Ruby: then only Ruby fires the job.
     */
    public @Nullable CronSchedule schedule() {
        return schedule;
    }

    /**
     * The next slots after a time, the earliest first; none if the cron text can't be parsed. A job with a fixed delay has
     * one at most, which may have passed, and none before the job of the last one has ended.
     *
     * @param count 1 to 100
     */
    public List<Instant> next(Instant after, int count) {
        if (schedule == null) {
            return List.of();
        }
        Instant due = due();
        return schedule.isDelay() ? due == null ? List.of() : List.of(due) : schedule.next(after, count);
    }

    /** What becomes of slots that were missed. */
    public Missed missed() {
        return missed;
    }

    /** How many missed slots are made up for at most with {@link Missed#ALL}. */
    public int mostMissed() {
        return mostMissed;
    }

    /** The next slot of a fixed delay; null if it has none, or the job is none of those. */
    @Nullable Instant due() {
        return RubyTime.parse(fields.get(DUE));
    }

    /** Whether its jobs have its lock, so that there is one at once. */
    boolean locks() {
        return overlap() != Overlap.ALLOW || schedule != null && schedule.isDelay();
    }

    /** What becomes of a slot while the job of an earlier one has not ended. */
    public Overlap overlap() {
        for (Overlap each : Overlap.values()) {
            if (text(OVERLAP).equals(overlapText(each))) {
                return each;
            }
        }
        return Overlap.ALLOW;
    }

    /** How {@link #OVERLAP} says it; null by default. */
    static @Nullable String overlapText(Overlap overlap) {
        return overlap == Overlap.ALLOW ? null : overlap.name().toLowerCase(Locale.ROOT);
    }

    /** The slot up to which all are decided; null if only the taken ones are known. */
    @Nullable Instant passed() {
        return fields.containsKey(MISSED) ? RubyTime.parse(fields.get(PASSED)) : null;
    }

    /** The wire name of the job to enqueue. */
    public String job() {
        return text("klass");
    }

    /** The job's queue, or null if the stored message can't be read. */
    public @Nullable String queue() {
        try {
            return message().queue();
        } catch (InvalidPayloadException e) {
            return null;
        }
    }

    /** The arguments as JSON text, usually an array. */
    public String arguments() {
        return text("args");
    }

    public String description() {
        return text("description");
    }

    /** Whether the job is fired at its slots; false while it is paused. */
    public boolean enabled() {
        return !fields.containsKey("status") || text("status").equals("enabled");
    }

    /** When the job was last fired, to the second; null if never or unknown. */
    public @Nullable Instant lastEnqueued() {
        return RubyTime.parse(text("last_enqueue_time"));
    }

    /** Whether it remembers being fired or decided later than at a time. */
    boolean isAfter(Instant time) {
        Instant enqueued = lastEnqueued();
        Instant passed = passed();
        return enqueued != null && enqueued.isAfter(time) || passed != null && passed.isAfter(time);
    }

    /** When Ruby fired it, if that was the last time; null if it wasn't, or is unknown. */
    @Nullable Instant enqueuedByRuby() {
        return text("last_enqueue_time").equals(text(ENQUEUED)) ? null : lastEnqueued();
    }

    /**
     * The application that declares this recurring job, with a {@link Job} annotation or in its configuration; null if
     * it was created otherwise.
     */
    public @Nullable String declaredBy() {
        return fields.get(DECLARED_BY);
    }

    /** Where it comes from. */
    public Origin origin() {
        if (declaredBy() == null) {
            return Origin.API;
        }
        return text(ORIGIN).equals(CONFIGURED) ? Origin.CONFIGURATION : Origin.ANNOTATION;
    }

    /** All stored fields, unknown ones included. */
    public Map<String, String> fields() {
        return fields;
    }

    /** One stored field; empty if it is missing. */
    public String text(String field) {
        return fields.getOrDefault(field, "");
    }

    /**
     * Whether only Ruby can build the payload: if arguments have to be looked up in its database, or if Ruby stored the
     * job without the Sidekiq options of its class, which is how the stored message of an Active Job looks.
     *
     * @param known whether this application knows the job
     */
    public boolean needsRuby(boolean known) {
        if (arguments().contains(GLOBAL_ID)) {
            return true;
        }
        try {
            return !known
                    && !isSet("active_job")
                    && !text("message").isEmpty()
                    && !message().has("retry");
        } catch (InvalidPayloadException e) {
            return true;
        }
    }

    /**
     * The payload to push when this job is fired.
     *
     * @param jid the id of the new job
     * @param now the creation time of the new job, and its last argument if the stored job asks for the time
     * @param times how the creation time is written
     * @throws InvalidPayloadException if the stored fields don't make a job
     */
    public Payload payload(String jid, Instant now, PayloadTimes times) {
        Payload payload = message();
        byte[] args = argumentsAt(now);
        if (isSet("active_job")) {
            payload = activeJob(payload, args, jid);
        } else {
            payload = payload.with("args", new RawJson(args));
        }
        if (!payload.has("retry")) {
            payload = payload.with("retry", true);
        }
        return payload.with("jid", jid).with("created_at", times.of(now));
    }

    private Payload message() {
        String stored = text("message");
        Payload message = stored.isEmpty() ? Payload.of(Map.of("class", job())) : Payload.parse(stored.getBytes(UTF_8));
        if (message.name() == null) {
            message = message.with("class", job());
        }
        return message.has("queue") ? message : message.with("queue", "default");
    }

    private byte[] argumentsAt(Instant now) {
        String stored = arguments().isEmpty() ? "[]" : arguments();
        Payload carrier;
        try {
            carrier = Payload.parse(("{\"args\":" + stored + "\n}").getBytes(UTF_8));
        } catch (InvalidPayloadException e) {
            carrier = Payload.of(Map.of("args", List.of(stored))); // as Ruby reads text that is not JSON
        }
        if (!carrier.hasArgsArray() || carrier.names().size() > 1) {
            throw new InvalidPayloadException(
                    "The arguments of recurring job " + OneLine.of(name) + " are not an array");
        }
        if (!isSet("date_as_argument")) {
            return carrier.rawArgs();
        }
        String array = new String(carrier.rawArgs(), UTF_8).strip();
        String separator = carrier.args().isEmpty() ? "" : ",";
        String seconds = String.format(Locale.ROOT, "%d.%06d", now.getEpochSecond(), now.getNano() / 1_000);
        return (array.substring(0, array.length() - 1) + separator + seconds + "]").getBytes(UTF_8);
    }

    /** The envelope in which Rails expects its own jobs. */
    private Payload activeJob(Payload message, byte[] args, String jid) {
        String queue = prefixedQueue(String.valueOf(message.queue()));
        Map<String, Object> job = new LinkedHashMap<>();
        job.put("job_class", job());
        job.put("job_id", uuid(jid));
        job.put("queue_name", queue);
        job.put("arguments", new RawJson(args));
        Map<String, @Nullable Object> wrapper = new LinkedHashMap<>();
        wrapper.put("class", ACTIVE_JOB);
        wrapper.put("wrapped", job());
        wrapper.put("queue", queue);
        wrapper.put("description", description());
        wrapper.put("args", List.of(job));
        return Payload.of(wrapper);
    }

    private static String uuid(String jid) {
        return java.util.UUID.nameUUIDFromBytes(jid.getBytes(UTF_8)).toString();
    }

    private String prefixedQueue(String queue) {
        String prefix = text("queue_name_prefix");
        String delimiter = text("queue_name_delimiter");
        return prefix.isEmpty() ? queue : prefix + (delimiter.isEmpty() ? "_" : delimiter) + queue;
    }

    private boolean isSet(String flag) {
        return text(flag).toLowerCase(Locale.ROOT).matches("1|true|t|yes|y");
    }

    /** Only the name, the job and the cron text: arguments may be confidential. */
    @Override
    public String toString() {
        return "RecurringJob[" + OneLine.of(name) + ", job=" + OneLine.of(job()) + ", cron=" + OneLine.of(cron()) + "]";
    }
}
