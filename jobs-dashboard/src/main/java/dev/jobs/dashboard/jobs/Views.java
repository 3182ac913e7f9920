package dev.jobs.dashboard.jobs;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.jobs.ArgumentMasking;
import dev.jobs.Internal;
import dev.jobs.Payload;
import dev.jobs.admin.FailureGroups;
import dev.jobs.admin.JobRecord;
import dev.jobs.admin.JobSet;
import dev.jobs.admin.LenientValues;
import dev.jobs.admin.ListedJob;
import dev.jobs.admin.Page;
import dev.jobs.admin.ScanBudget;
import dev.jobs.admin.SetsAdmin;
import dev.jobs.dashboard.web.ListView;
import dev.jobs.dashboard.web.Shown;
import dev.jobs.limits.LimitedJob;
import dev.jobs.ordered.JobOrder;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Jobs as shown in answers: long parts cut, masked parts hidden. */
@Internal
public final class Views {

    /** Parsing larger jobs would need many times their size in memory for each viewer. */
    public static final int MOST_READ = 4 * 1_024 * 1_024;

    /** The place of a job that is parked at a limit. */
    public static final String PARKED = "parked";

    /** Tags of a job in a form. */
    public static final int MOST_TAG_LINES = 200;

    /** Of one of them, in characters. */
    public static final int MOST_TAG_LINE = 501;

    private static final String MESSAGE_MEMBER = "error_message";
    private static final int ARGUMENTS = 200;
    private static final int MOST_PREVIEW = 10_000;
    private static final int MESSAGE = 300;
    private static final int NAME = 500;
    private static final int TAGS = 10;

    /** What a form takes away at the ends of a line, and between lines. */
    private static final Pattern SPACES = Pattern.compile("[\\s\\h\\v\uFEFF]+");

    /** A job in a list. */
    public record JobView(
            String id,
            String key,
            String place,
            @Nullable String queue,
            @Nullable String jid,
            @Nullable String name,
            boolean malformed,
            int bytes,
            String args,
            boolean argsCut,
            boolean masked,
            @Nullable Long at,
            @Nullable String score,
            @Nullable Long createdAt,
            @Nullable Long enqueuedAt,
            @Nullable Long failedAt,
            @Nullable Long retriedAt,
            long attempts,
            @Nullable ErrorView error,
            List<String> tags,
            @Nullable Long position,
            @Nullable String orderKey,
            @Nullable Integer priority) {}

    /** The failure of a job. */
    record ErrorView(@Nullable String type, @Nullable String message) {}

    private final ArgumentMasking masking;

    public Views(ArgumentMasking masking) {
        this.masking = masking;
    }

    /** The job as it may be shown, or null if it is not a job. */
    @Nullable public Payload payload(JobRecord job) {
        Payload payload = job.payload();
        return payload == null ? null : shown(payload);
    }

    /** A job that is not stored yet. */
    public Payload payload(Payload draft) {
        return shown(draft);
    }

    /** The arguments of a job as it may be shown, cut. */
    public static String arguments(Payload shown) {
        return Shown.cut(Shown.cut(rawArgs(shown), MOST_PREVIEW * 4), MOST_PREVIEW);
    }

    /** The tags of a job as it may be shown. */
    public static List<String> tags(Payload shown) {
        return LenientValues.texts(shown.get("tags"));
    }

    /** The same as a form has them, each on a line: the first {@value #MOST_TAG_LINES}, cut. */
    public static List<String> tagLines(Payload shown) {
        return tags(shown).stream()
                .limit(MOST_TAG_LINES)
                .map(tag -> Shown.cut(SPACES.matcher(tag).replaceAll(" ").strip(), NAME))
                .toList();
    }

    private Payload shown(Payload payload) {
        return payload.length() <= MOST_READ || !masking.mayHide(payload)
                ? masking.shown(payload)
                : masking.hidden(payload);
    }

    /**
     * The stored text as it may be shown, cut after {@code most} bytes. If anything is masked, text that can't be
     * parsed is not shown at all.
     */
    public String text(JobRecord job, int most) {
        Payload payload = payload(job);
        if (payload != null) {
            return Shown.cut(payload.bytes(), most);
        }
        return masking.isUsed() ? ArgumentMasking.HIDDEN : job.text(most);
    }

    /** Whether the shown text of a job contains a text, so that searches can't reveal masked parts. */
    public boolean contains(JobRecord job, String text) {
        Payload payload = job.payload();
        if (payload == null) {
            return !masking.isUsed() && job.contains(text);
        }
        return masking.mayHide(payload)
                ? job.contains(text) && new String(shown(payload).bytes(), UTF_8).contains(text)
                : job.contains(text);
    }

    /** Whether a job has a tag as it may be shown, so that searches can't reveal masked parts. */
    boolean hasTag(JobRecord job, String tag) {
        Payload payload = job.payload();
        if (payload == null) {
            return false;
        }
        // what hides a part of a tag leaves a mark in it, so most jobs need not be masked for this
        return (tag.contains(ArgumentMasking.HIDDEN) || tags(payload).contains(tag))
                && tags(shown(payload)).contains(tag);
    }

    /** The job's name for people, without masked arguments. */
    @Nullable public String name(JobRecord job) {
        return job.name(masking);
    }

    /** Failed jobs by name and cause, with the names as they may be shown. */
    FailureGroups failures(SetsAdmin sets, JobSet set) {
        return sets.failures(set, masking, ScanBudget.standard());
    }

    /** A part of a list of jobs, each with a unique id: equal jobs are numbered. */
    ListView jobs(Page<ListedJob> page, int size) {
        Map<String, Integer> seen = new HashMap<>();
        return ListView.of(page, size, listed -> {
            String digest = listed.job().digest();
            int twin = seen.merge(digest, 1, Integer::sum);
            return job(listed, digest, twin == 1 ? digest : digest + "-" + twin);
        });
    }

    /** A job that is parked at a limit. */
    public JobView parked(LimitedJob parked) {
        ListedJob listed = new ListedJob(parked.job(), 0);
        return job(listed, parked.job().digest(), parked.address(), PARKED, null);
    }

    public JobView job(ListedJob listed) {
        String digest = listed.job().digest();
        return job(listed, digest, digest);
    }

    private JobView job(ListedJob listed, String digest, String id) {
        JobRecord job = listed.job();
        return job(
                listed,
                id,
                JobPlace.key(listed, digest),
                JobPlace.of(job).name(),
                job.set() == null ? listed.index() : null);
    }

    private JobView job(ListedJob listed, String id, String key, String place, @Nullable Long position) {
        JobRecord job = listed.job();
        Payload shown = payload(job);
        byte[] args = shown == null ? text(job, ARGUMENTS * 4).getBytes(UTF_8) : rawArgs(shown);
        String text = Shown.cut(args, ARGUMENTS * 4);
        Long count = job.retryCount();
        String type = job.errorClass();
        String message = shown == null ? null : shown.text(MESSAGE_MEMBER);
        return new JobView(
                id,
                key,
                place,
                Shown.cutOrNull(job.queue(), NAME),
                Shown.cutOrNull(job.jid(), NAME),
                Shown.cutOrNull(name(job), NAME),
                shown == null,
                job.size(),
                Shown.cut(text, ARGUMENTS),
                text.length() > ARGUMENTS || args.length > ARGUMENTS * 4,
                shown != null && !shown.equals(job.payload()),
                job.set() == null ? null : Shown.millis(job.at()),
                job.set() == null ? null : Double.toString(job.score()),
                Shown.millis(job.createdAt()),
                Shown.millis(job.enqueuedAt()),
                Shown.millis(job.failedAt()),
                Shown.millis(job.retriedAt()),
                count != null ? Math.max(0, count) + 1 : job.failedAt() != null ? 1 : 0,
                type == null && message == null
                        ? null
                        : new ErrorView(Shown.cutOrNull(type, NAME), Shown.cutOrNull(message, MESSAGE)),
                shown == null
                        ? List.of()
                        : tags(shown).stream()
                                .limit(TAGS)
                                .map(tag -> Shown.cut(tag, NAME))
                                .toList(),
                position,
                shown == null || JobOrder.key(shown).isEmpty() ? null : JobOrder.key(shown),
                shown == null || !shown.has(JobOrder.PRIORITY) ? null : (Integer) JobOrder.priority(shown));
    }

    private static byte[] rawArgs(Payload payload) {
        byte[] raw = payload.raw("args");
        return raw == null ? new byte[0] : raw;
    }
}
