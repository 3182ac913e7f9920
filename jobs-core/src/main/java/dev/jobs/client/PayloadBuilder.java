package dev.jobs.client;

import dev.jobs.Internal;
import dev.jobs.InvalidJobException;
import dev.jobs.JobCall;
import dev.jobs.JobDefinition;
import dev.jobs.JobMethod;
import dev.jobs.JobRegistry;
import dev.jobs.JobRules;
import dev.jobs.Payload;
import dev.jobs.PayloadTimes;
import dev.jobs.codec.ArgumentCodec;
import dev.jobs.codec.JsonException;
import dev.jobs.codec.ParameterType;
import dev.jobs.codec.RawJson;
import dev.jobs.codec.RubyTime;
import dev.jobs.store.JobPushes;
import java.time.Instant;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.random.RandomGenerator;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Builds payloads with their members in the order in which a Ruby client writes them. The caller's members override the
 * client's options, these override the annotation, and the annotation overrides the defaults. Middleware runs later and
 * may change everything, so most checks come later, too. Thread-safe.
 */
@Internal
public final class PayloadBuilder {

    private final ArgumentCodec codec;
    private final JobRegistry registry;
    private final RandomGenerator random;
    private final PayloadTimes times;
    private final PayloadRule[] rules = JobRules.all(PayloadRule.class).toArray(PayloadRule[]::new);

    public PayloadBuilder(JobRegistry registry, RandomGenerator random, PayloadTimes times) {
        this.registry = registry;
        this.codec = registry.codec();
        this.random = random;
        this.times = times;
    }

    /** Builds the payload of each job of a call. */
    @FunctionalInterface
    public interface OfEach {

        /**
         * The payload of one job, before middleware and rules.
         *
         * @param options of the call, or of this job
         * @throws InvalidJobException if there is no list of arguments, as an element of a bulk call may have none
         */
        Payload build(@Nullable List<? extends @Nullable Object> arguments, Options options, Instant now);
    }

    /** Builds the payload of a call. */
    public Payload build(JobCall call, Options options, Instant now) {
        JobMethod method = call.method();
        return method == null
                ? build(call.name(), call.arguments(), options, now)
                : build(registry.resolve(method), call.arguments(), options, now);
    }

    /** Builds the payload of a job by name. */
    public Payload build(
            String name, @Nullable List<? extends @Nullable Object> arguments, Options options, Instant now) {
        return build(name, encodeByName(name, required(name, arguments), true), options, now);
    }

    /** Builds the payload of a job whose method defines its arguments. */
    public Payload build(
            JobDefinition job, @Nullable List<? extends @Nullable Object> arguments, Options options, Instant now) {
        return build(job.name(), encode(job, required(job.name(), arguments)), options, now);
    }

    private static List<? extends @Nullable Object> required(
            String name, @Nullable List<? extends @Nullable Object> arguments) {
        if (arguments == null) {
            throw PayloadRules.refused(name, "its list of arguments is null", null);
        }
        return arguments;
    }

    /** What {@code enqueue("X", null)} passes is null instead of an array, and means one null argument. */
    public static List<@Nullable Object> listOf(@Nullable Object @Nullable [] arguments) {
        return arguments == null ? Collections.singletonList(null) : Arrays.asList(arguments);
    }

    private Payload build(String name, RawJson arguments, Options options, Instant now) {
        Map<String, @Nullable Object> members = new LinkedHashMap<>();
        members.put("retry", true);
        members.put("queue", "default");
        members.put("class", name);
        members.put("args", arguments);
        addOptions(name, members, options, now);
        addRules(name, members, options);
        return complete(name, members, now);
    }

    /** Builds the payload of a job from the caller's members, with missing ones added. */
    public Payload build(Map<String, ? extends @Nullable Object> given, Options options, Instant now) {
        GivenPayload payload = GivenPayload.of(given);
        String name = payload.name();
        Map<String, @Nullable Object> members = new LinkedHashMap<>();
        members.put("retry", true);
        members.put("queue", "default");
        addOptions(name, members, options, now);
        payload.addTo(members);
        // a payload is stored as it is given, also for workers that know another job of that name
        members.put("args", encodeByName(name, payload.arguments(), false));
        payload.addTime(members, now);
        addRules(name, members, options);
        return complete(name, members, now);
    }

    private void addOptions(String name, Map<String, @Nullable Object> members, Options options, Instant now) {
        registry.find(name).ifPresent(definition -> members.putAll(definition.options()));
        members.putAll(options.members());
        Instant due = options.due(now, random);
        if (due != null) {
            members.put("at", RubyTime.seconds(due));
        }
    }

    /** Adds whatever features say. */
    private void addRules(String name, Map<String, @Nullable Object> members, Options options) {
        JobDefinition definition = registry.find(name).orElse(null);
        try {
            for (PayloadRule rule : rules) {
                rule.write(members, definition, options);
            }
        } catch (InvalidJobException e) {
            throw refused(name, e);
        }
    }

    private RawJson encode(JobDefinition job, List<? extends @Nullable Object> arguments) {
        checkCount(job.name(), job, 0, arguments.size());
        try {
            return new RawJson(codec.encode(arguments, job.parameters()));
        } catch (JsonException e) {
            throw refused(job.name(), e);
        }
    }

    /** @param fitting whether the job's method has to be able to read each argument */
    private RawJson encodeByName(String name, List<? extends @Nullable Object> arguments, boolean fitting) {
        JobDefinition reader = registry.reader(name).orElse(null);
        if (reader != null) {
            checkCount(name, reader, reader.ignoredArguments(), arguments.size());
        }
        try {
            List<ParameterType> parameters = fitting && reader != null ? reader.parameters() : List.of();
            return new RawJson(codec.encodeByName(arguments, parameters));
        } catch (JsonException e) {
            throw refused(name, e);
        }
    }

    /** @param ignored how many more there may be, as in jobs of a former version */
    private static void checkCount(String name, JobDefinition definition, int ignored, int count) {
        List<ParameterType> parameters = definition.parameters();
        if (count > parameters.size() + ignored) {
            String names = parameters.stream().map(ParameterType::name).collect(Collectors.joining(", ", "(", ")"));
            String counts = " takes " + parameters.size() + (ignored > 0 ? " and ignores " + ignored + " more" : "")
                    + " but there " + (count == 1 ? "is 1 argument" : "are " + count + " arguments");
            throw PayloadRules.refused(name, definition.qualifiedMethodName() + names + counts, null);
        }
    }

    private Payload complete(String name, Map<String, @Nullable Object> members, Instant now) {
        members.putIfAbsent("jid", jid());
        members.putIfAbsent("created_at", times.of(now));
        try {
            return Payload.of(members);
        } catch (InvalidJobException e) {
            throw refused(name, e);
        }
    }

    /** A new random jid. */
    public String jid() {
        return JobPushes.newJid(random);
    }

    private static InvalidJobException refused(String name, Exception reason) {
        String message = String.valueOf(reason.getMessage());
        return PayloadRules.refused(
                name, message.endsWith(".") ? message.substring(0, message.length() - 1) : message, reason);
    }
}
