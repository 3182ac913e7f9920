package dev.jobs.recurring;

import dev.jobs.Internal;
import dev.jobs.JobDefinition;
import dev.jobs.JobRegistry;
import dev.jobs.Payload;
import dev.jobs.codec.OneLine;
import dev.jobs.recurring.RecurringJob.Origin;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A recurring job that an application declares, by an annotation or in its configuration.
 *
 * @param name the name of the recurring job
 * @param recurrence when and how the job is enqueued; its queue counts as the draft says it
 * @param draft the payload to push each time, without the members that differ for each job
 * @param origin where it is declared
 * @param shown its name and where it is declared, for people
 */
@Internal
public record Declaration(String name, Recurrence recurrence, Payload draft, Origin origin, String shown) {

    /**
     * All that an application declares. What its configuration declares takes the place of what an annotation declares
     * under the same name.
     *
     * @param recurring those that are fired
     * @param off how those are shown that are turned off, by their names
     */
    @Internal
    public record All(List<Declaration> recurring, Map<String, String> off) {

        static final All NONE = new All(List.of(), Map.of());
    }

    /**
     * Reads the annotations and the configuration.
     *
     * @throws dev.jobs.JobDefinitionException if the configuration can't be used
     */
    public static All all(JobRegistry registry, ConfiguredSchedules configured) {
        Map<String, Declaration> recurring = new LinkedHashMap<>();
        Map<String, String> off = new LinkedHashMap<>();
        for (JobDefinition definition : registry.definitions()) {
            Recurrence recurrence = CronRules.recurrence(definition);
            if (recurrence != null) {
                recurring.put(definition.name(), annotated(definition, recurrence));
            } else if (CronRules.isOff(definition)) {
                off.put(definition.name(), definition.toString());
            }
        }
        All own = configured.declared();
        for (Declaration each : own.recurring()) {
            recurring.put(each.name(), each);
            off.remove(each.name());
        }
        own.off().forEach((name, shown) -> {
            recurring.remove(name);
            off.put(name, shown);
        });
        return new All(List.copyOf(recurring.values()), off);
    }

    private static Declaration annotated(JobDefinition definition, Recurrence recurrence) {
        Map<String, Object> members = new LinkedHashMap<>();
        members.put("retry", true);
        members.put("queue", "default");
        members.put("class", definition.name());
        members.put("args", List.of());
        members.putAll(definition.options());
        return new Declaration(
                definition.name(), recurrence, Payload.of(members), Origin.ANNOTATION, definition.toString());
    }

    /** When the job is enqueued. */
    public CronSchedule schedule() {
        return recurrence.schedule();
    }

    /** The queue of the job. */
    public String queue() {
        return String.valueOf(draft.queue());
    }

    /** The fields to store, except for those that follow its life, and for the marks of a declaration. */
    public Map<String, String> fields(String namespace) {
        return RecurringJobStore.fields(name, namespace, recurrence, draft);
    }

    /**
     * The fields that mark it as declared.
     *
     * @param before as it is stored now; null if it isn't
     */
    public Map<String, String> marks(String application, @Nullable RecurringJob before) {
        Map<String, String> marks = new LinkedHashMap<>();
        marks.put(RecurringJob.DECLARED_BY, application);
        if (origin == Origin.CONFIGURATION) {
            marks.put(RecurringJob.ORIGIN, RecurringJob.CONFIGURED);
        } else if (before != null && before.fields().containsKey(RecurringJob.ORIGIN)) {
            marks.put(RecurringJob.ORIGIN, RecurringJob.ANNOTATED);
        }
        return marks;
    }

    /**
     * What is no longer as it was, for people; empty if nothing is. Arguments are not shown: they may be confidential.
     *
     * @param before as it was stored
     * @param marks those with which it is stored
     */
    String changes(RecurringJob before, String namespace, Map<String, String> marks) {
        Map<String, String> fields = fields(namespace);
        fields.putAll(marks);
        RecurringJob after = new RecurringJob(name, fields);
        List<String> changes = new ArrayList<>();
        addIfOther("cron", before.cron(), after.cron(), changes);
        addIfOther("missed", shownMissed(before), shownMissed(after), changes);
        addIfOther("overlap", before.overlap(), after.overlap(), changes);
        addIfOther("job", before.job(), after.job(), changes);
        addIfOther("queue", before.queue(), after.queue(), changes);
        if (!before.arguments().equals(after.arguments())) {
            changes.add("other arguments");
        }
        if (!before.description().equals(after.description())) {
            changes.add("other description");
        }
        if (changes.isEmpty() && !before.text("message").equals(after.text("message"))) {
            changes.add("other options");
        }
        if (before.origin() != after.origin()) {
            changes.add("it was " + shown(before.origin()));
        } else {
            addIfOther("application", before.declaredBy(), after.declaredBy(), changes);
        }
        return String.join(", ", changes);
    }

    private static String shownMissed(RecurringJob job) {
        return job.missed() == Missed.ALL ? job.missed() + " " + job.mostMissed() : String.valueOf(job.missed());
    }

    private static void addIfOther(String what, @Nullable Object before, @Nullable Object after, List<String> changes) {
        if (!String.valueOf(before).equals(String.valueOf(after))) {
            changes.add(what + " was '" + OneLine.of(String.valueOf(before)) + "'");
        }
    }

    private static String shown(Origin origin) {
        return switch (origin) {
            case ANNOTATION -> "declared by an annotation";
            case CONFIGURATION -> "declared in the configuration";
            case API -> "not declared";
        };
    }
}
