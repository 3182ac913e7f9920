package dev.jobs.recurring;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.jobs.ArgumentSeal;
import dev.jobs.Internal;
import dev.jobs.InvalidJobException;
import dev.jobs.JobCall;
import dev.jobs.JobDefinition;
import dev.jobs.JobDefinitionException;
import dev.jobs.JobRegistry;
import dev.jobs.Payload;
import dev.jobs.client.CheckedJob;
import dev.jobs.client.ClientConfig;
import dev.jobs.client.Options;
import dev.jobs.client.PayloadBuilder;
import dev.jobs.client.PayloadRules;
import dev.jobs.codec.ArgumentCodec;
import dev.jobs.codec.ArgumentException;
import dev.jobs.codec.JsonException;
import dev.jobs.codec.JsonText;
import dev.jobs.codec.OneLine;
import dev.jobs.codec.ParameterType;
import dev.jobs.codec.RawJson;
import dev.jobs.recurring.Recurrence.Contradiction;
import dev.jobs.recurring.RecurringJob.Origin;
import dev.jobs.unique.Duplicates;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The recurring jobs that the configuration of an application declares. They are read and checked when somebody asks
 * first, since upcasters may not exist before. Thread-safe.
 */
@Internal
public final class ConfiguredSchedules {

    /** Those of an application that configures none. */
    public static final ConfiguredSchedules NONE =
            new ConfiguredSchedules(List.of(), new JobRegistry(List.of()), ClientConfig.defaults());

    private static final int MOST_SHOWN = 10;

    private static final String REMEDY =
            "Correct it, or turn the schedule off with the cron text \"-\", in quotes in YAML.";

    /**
     * What a configuration says of one recurring job.
     *
     * @param property the property that says it, for messages
     * @param name the name of the recurring job
     * @param job the name of the job to enqueue; null if that is its own name
     * @param arguments as texts: of a parameter that is stored as text as they are, else JSON
     * @param recurrence with an empty cron text if it has none, and {@code -} if it is turned off; without policies
     * @param policies those that it names
     */
    public record Entry(
            String property,
            String name,
            @Nullable String job,
            List<String> arguments,
            Recurrence recurrence,
            Policies policies) {

        public Entry {
            arguments = List.copyOf(arguments);
        }
    }

    /** What a configuration says of missed and overlapping slots; null for what it leaves to an annotation. */
    public record Policies(
            @Nullable Missed missed,
            @Nullable Integer mostMissed,
            @Nullable Overlap overlap) {

        public static final Policies NONE = new Policies(null, null, null);
    }

    private final List<Entry> entries;
    private final JobRegistry registry;
    private final ClientConfig config;

    private volatile Declaration.@Nullable All declared;

    private ConfiguredSchedules(List<Entry> entries, JobRegistry registry, ClientConfig config) {
        this.entries = entries;
        this.registry = registry;
        this.config = config;
    }

    /**
     * @param registry the known jobs, whose annotations and parameters apply
     * @param config sizes, and how times are written
     */
    public static ConfiguredSchedules of(List<Entry> entries, JobRegistry registry, ClientConfig config) {
        return entries.isEmpty() ? NONE : new ConfiguredSchedules(List.copyOf(entries), registry, config);
    }

    /**
     * What they declare.
     *
     * @throws JobDefinitionException if one of them can't be used
     */
    public Declaration.All declared() {
        Declaration.All known = declared;
        if (known == null) {
            known = entries.isEmpty() ? Declaration.All.NONE : read();
            declared = known;
        }
        return known;
    }

    private Declaration.All read() {
        PayloadBuilder payloads =
                new PayloadBuilder(registry, new SplittableRandom(), config.times()); // ids are left out
        PayloadRules rules = new PayloadRules(config.maxPayload(), config.times());
        List<Declaration> recurring = new ArrayList<>();
        Map<String, String> off = new LinkedHashMap<>();
        for (Entry each : entries) {
            JobDefinition annotated = annotated(each);
            JobDefinition known = job(each, annotated);
            String shown = each.name() + " (" + each.property() + (annotated == null ? ")" : ", not its annotation)");
            if (each.recurrence().cron().equals(CronRules.OFF)) {
                off.put(each.name(), shown);
            } else {
                recurring.add(new Declaration(
                        each.name(),
                        recurrence(each, annotated == null ? null : CronRules.recurrence(annotated)),
                        draft(each, known, payloads, rules),
                        Origin.CONFIGURATION,
                        shown));
            }
        }
        return new Declaration.All(List.copyOf(recurring), off);
    }

    /** The job whose annotation has a schedule, and so declares a recurring job of the same name. */
    private @Nullable JobDefinition annotated(Entry entry) {
        return registry.find(entry.name())
                .filter(job -> job.name().equals(entry.name()))
                .filter(ConfiguredSchedules::hasAnnotation)
                .orElse(null);
    }

    /** The job to enqueue; null if only another application has it. */
    private @Nullable JobDefinition job(Entry entry, @Nullable JobDefinition annotated) {
        if (!RedisRecurringJobs.isName(entry.name())) {
            throw wrong(entry, " has a name that can't be used", "Use 1 to 200 characters without control characters.");
        }
        String name = entry.job();
        JobDefinition known = registry.find(name == null ? entry.name() : name).orElse(null);
        checkNamesNoFormer(entry, known);
        if (name == null && known == null) {
            throw wrong(
                    entry,
                    ".job is missing, and this application has no job '" + OneLine.of(entry.name()) + "'" + known(),
                    "Name the job to enqueue, which may also be one that only another application has.");
        }
        if (name != null && name.isBlank()) {
            throw wrong(entry, ".job is empty", "Name the job to enqueue.");
        }
        if (annotated != null && known != annotated) {
            throw wrong(
                    entry,
                    ".job is '" + OneLine.of(name) + "', and " + annotated
                            + " already declares a recurring job of this name with its annotation",
                    "Give the schedule another name. Or remove the job from it: the schedule then takes the place of the annotation's.");
        }
        return known;
    }

    /** An alias leads to the job, but not to the recurring job of its annotation: that has the present name. */
    private static void checkNamesNoFormer(Entry entry, @Nullable JobDefinition known) {
        if (known != null
                && known.allNames().contains(entry.name())
                && !known.name().equals(entry.name())
                && hasAnnotation(known)) {
            throw wrong(
                    entry,
                    " has the former name of " + known
                            + ", whose annotation declares a recurring job of its present name",
                    "Name the schedule " + known.name()
                            + ": it then takes the place of the annotation's. A second recurring job needs another name.");
        }
    }

    private static boolean hasAnnotation(JobDefinition job) {
        return CronRules.recurrence(job) != null || CronRules.isOff(job);
    }

    private String known() {
        if (registry.definitions().isEmpty()) {
            return "";
        }
        List<String> names = registry.definitions().stream()
                .map(JobDefinition::name)
                .sorted()
                .limit(MOST_SHOWN)
                .toList();
        return "; it has " + String.join(", ", names) + (registry.definitions().size() > MOST_SHOWN ? " and more" : "");
    }

    /** What only the annotation names stays: a zone, and policies. */
    private static Recurrence recurrence(Entry entry, @Nullable Recurrence annotated) {
        Recurrence own = entry.recurrence();
        if (own.cron().isBlank()) {
            throw wrong(
                    entry,
                    ".cron is missing",
                    "Write five fields (minute, hour, day of month, month, day of week) or six with the second first, as in"
                            + " \"0 2 * * *\", or a fixed rate such as \"@every 90s\"; \"-\" turns the schedule off, in quotes in"
                            + " YAML.");
        }
        try {
            CronSchedule schedule = own.schedule();
            CronSchedule before = annotated == null ? null : annotated.schedule();
            Recurrence recurrence = before == null || !before.isCron() || !before.namesZone() || schedule.namesZone()
                    ? own
                    : own.zone(before.zone().getId());
            return schedule.isDelay() ? delay(entry) : withPolicies(entry, recurrence, annotated);
        } catch (InvalidCronException e) {
            throw wrong(
                    entry, ".cron is wrong: " + String.valueOf(e.getMessage()).replaceFirst("^The", "the"), REMEDY);
        }
    }

    private static Recurrence delay(Entry entry) {
        if (!entry.policies().equals(Policies.NONE)) {
            throw wrong(
                    entry,
                    " has a delay, beside which missed, most-missed and overlap have no effect",
                    "Remove them: a delay begins when a job has ended, and a missed slot is fired late.");
        }
        return entry.recurrence();
    }

    private static Recurrence withPolicies(Entry entry, Recurrence recurrence, @Nullable Recurrence annotated) {
        Recurrence other = annotated == null ? recurrence : annotated;
        Policies own = entry.policies();
        Missed missed = Objects.requireNonNullElse(own.missed(), other.missed());
        Overlap overlap = Objects.requireNonNullElse(own.overlap(), other.overlap());
        int mostMissed = Objects.requireNonNullElse(own.mostMissed(), other.mostMissed());
        if (mostMissed < 1 || mostMissed > Recurrence.MOST_MISSED) {
            throw wrong(entry, ".most-missed is " + mostMissed, "Use 1 to " + Recurrence.MOST_MISSED + ".");
        }
        Contradiction contradiction = Contradiction.of(missed, overlap);
        if (contradiction != null) {
            throw wrong(
                    entry,
                    " has " + contradiction.what() + "; what it leaves out, the annotation says",
                    contradiction.action());
        }
        return recurrence.missed(missed).mostMissed(mostMissed).overlap(overlap);
    }

    private Payload draft(Entry entry, @Nullable JobDefinition known, PayloadBuilder payloads, PayloadRules rules) {
        String job = known == null ? String.valueOf(entry.job()) : known.name();
        List<@Nullable Object> arguments = arguments(entry, known);
        try {
            String queue = entry.recurrence().queue();
            Options options = queue == null ? Options.NONE : Options.NONE.queue(queue);
            Payload draft = payloads.build(JobCall.named(job, arguments.toArray()), options, Instant.EPOCH);
            CheckedJob checked = rules.check(draft);
            Duplicates.checkHasNoLock(checked, "a recurring job", "let that one enqueue it");
            ArgumentSeal.checkNeedsNone(draft, "a recurring job");
            rules.finish(checked, Instant.EPOCH);
            return draft;
        } catch (InvalidJobException e) {
            throw wrong(entry, " can't be used: " + e.getMessage(), REMEDY);
        }
    }

    private List<@Nullable Object> arguments(Entry entry, @Nullable JobDefinition known) {
        JobDefinition reader =
                known == null ? null : registry.reader(known.name()).orElse(null);
        List<ParameterType> parameters = reader == null ? List.of() : reader.parameters();
        int required = reader == null ? 0 : reader.requiredArguments();
        if (entry.arguments().size() < required) {
            throw wrong(
                    entry,
                    ".args has " + entry.arguments().size() + " of the arguments of " + known + ", which needs "
                            + parameters.subList(0, required).stream()
                                    .map(ParameterType::name)
                                    .collect(Collectors.joining(", ")),
                    "Add the missing ones, or give the parameters defaults with @JobParam.");
        }
        ArgumentCodec codec = registry.codec();
        List<@Nullable Object> values = new ArrayList<>();
        for (int i = 0; i < entry.arguments().size(); i++) {
            values.add(
                    i < parameters.size()
                            ? argument(entry, Objects.requireNonNull(reader), i, codec)
                            : plain(entry.arguments().get(i)));
        }
        return values;
    }

    /** An empty text is what YAML leaves of null. */
    private static RawJson argument(Entry entry, JobDefinition known, int index, ArgumentCodec codec) {
        ParameterType parameter = known.parameters().get(index);
        try {
            String json = codec.readDefault(parameter, entry.arguments().get(index));
            return new RawJson((json.isBlank() ? "null" : json).getBytes(UTF_8));
        } catch (ArgumentException e) {
            String reason = String.valueOf(e.getMessage()).replaceFirst("\\.$", "");
            throw wrong(
                    entry,
                    ".args[" + index + "] can't be read as the parameter '" + parameter.name() + "' of " + known
                            + (known.masked().contains(index) ? "" : ": " + reason),
                    "Write text as it is, and all else as JSON, such as 42, true, [1, 2] or {\"id\": 7}.");
        }
    }

    /** An argument whose type is not known. */
    private static @Nullable Object plain(String text) {
        try {
            return JsonText.decode(text.getBytes(UTF_8));
        } catch (JsonException e) {
            return text;
        }
    }

    private static JobDefinitionException wrong(Entry entry, String what, String action) {
        return new JobDefinitionException(entry.property() + what, action);
    }
}
