package dev.jobs;

import dev.jobs.codec.AnyFailure;
import dev.jobs.codec.JsonText;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Hides the arguments of jobs according to {@link Masked} and {@link ArgumentMask}. Immutable and thread-safe. */
public final class ArgumentMasking {

    /** Shown instead of a hidden argument. */
    public static final String HIDDEN = "•••";

    private static final String ARGS = "args";
    private static final String WRAPPED = "wrapped";
    private static final String MESSAGE = "error_message";

    /** Shorter texts occur everywhere, and hiding them would reveal more than it hides. */
    private static final int LEAST_SECRET = 4;

    private static final int MOST_SECRETS = 100;

    private final JobRegistry registry;
    private final List<ArgumentMask> masks;

    public ArgumentMasking(JobRegistry registry, List<ArgumentMask> masks) {
        this.registry = registry;
        this.masks = List.copyOf(masks);
    }

    /** Whether arguments of any job may be hidden; if so, don't show entries that can't be read as a job. */
    public boolean isUsed() {
        return !masks.isEmpty()
                || registry.definitions().stream()
                        .anyMatch(each -> !each.masked().isEmpty());
    }

    /** The job with its hidden arguments masked; the same payload if nothing is hidden. */
    public Payload shown(Payload job) {
        if (!job.has(ARGS) || !mayHide(job)) {
            return job;
        }
        if (!job.hasArgsArray()) {
            return withoutQuotes(job.with(ARGS, HIDDEN), secrets(job));
        }
        List<@Nullable Object> arguments = job.args();
        List<@Nullable Object> shown = shown(job, arguments);
        if (shown.equals(arguments)) {
            return job;
        }
        Payload masked;
        try {
            masked = job.with(ARGS, shown);
        } catch (InvalidJobException e) {
            masked = job.with(ARGS, HIDDEN); // JSON can carry such a number, but we can't write it
        }
        return withoutQuotes(masked, secrets(arguments, shown));
    }

    private static Payload withoutQuotes(Payload job, Set<String> secrets) {
        Payload masked = withoutQuotesInAttempts(job, secrets);
        String message = job.text(MESSAGE);
        return message == null ? masked : masked.with(MESSAGE, without(secrets, message));
    }

    /** Their messages are masked by those who ran them, who may have had other masks. */
    private static Payload withoutQuotesInAttempts(Payload job, Set<String> secrets) {
        if (!job.has(PastAttempt.MEMBER)) {
            return job;
        }
        if (!(job.get(PastAttempt.MEMBER) instanceof List<?> attempts)) {
            return job.with(PastAttempt.MEMBER, HIDDEN);
        }
        List<Object> masked = new ArrayList<>();
        for (Object attempt : attempts) {
            if (attempt instanceof Map<?, ?> members) {
                Map<String, Object> shown = new LinkedHashMap<>();
                members.forEach((name, value) -> {
                    if (value instanceof String text) {
                        shown.put(
                                JsonText.wellFormed(String.valueOf(name)), without(secrets, JsonText.wellFormed(text)));
                    } else if (value instanceof Long) {
                        shown.put(JsonText.wellFormed(String.valueOf(name)), value);
                    }
                });
                masked.add(shown);
            }
        }
        return job.with(PastAttempt.MEMBER, masked);
    }

    /** A text about a job, such as an exception's message, with its hidden arguments masked. */
    public String shown(Payload job, String text) {
        if (!mayHide(job)) {
            return text;
        }
        return without(secrets(job), text);
    }

    /** Whether any argument of the job may be hidden. */
    public boolean mayHide(Payload job) {
        return !masks.isEmpty() || hides(job.name()) || hides(job.text(WRAPPED));
    }

    private boolean hides(@Nullable String name) {
        return registry.find(name).filter(each -> !each.masked().isEmpty()).isPresent() || isUpcast(name);
    }

    /** Where an upcaster puts the arguments is unknown, so all are hidden if any job hides some. */
    private boolean isUpcast(@Nullable String name) {
        return name != null
                && registry.upcastNames().contains(name)
                && registry.definitions().stream()
                        .anyMatch(each -> !each.masked().isEmpty());
    }

    private List<@Nullable Object> shown(Payload job, List<@Nullable Object> arguments) {
        String name = Objects.requireNonNullElse(job.name(), "");
        Set<Integer> hidden = registry.find(name).map(JobDefinition::masked).orElse(Set.of());
        List<@Nullable Object> shown = new ArrayList<>();
        boolean all =
                isUpcast(name) || hides(job.text(WRAPPED)); // a framework's envelope has the arguments somewhere inside
        for (int i = 0; i < arguments.size(); i++) {
            shown.add(all || hidden.contains(i) ? HIDDEN : asked(name, i, arguments.get(i)));
        }
        return shown;
    }

    private @Nullable Object asked(String name, int position, @Nullable Object argument) {
        Object shown = argument;
        try {
            for (ArgumentMask mask : masks) {
                shown = mask.shown(name, position, shown);
            }
        } catch (Throwable e) {
            AnyFailure.passOutOfMemory(e);
            return HIDDEN;
        }
        return shown;
    }

    private Set<String> secrets(Payload job) {
        if (job.hasArgsArray()) {
            List<@Nullable Object> arguments = job.args();
            return secrets(arguments, shown(job, arguments));
        }
        Set<String> secrets = new HashSet<>();
        collect(job.get(ARGS), secrets);
        return secrets;
    }

    /** The texts and numbers inside the arguments that are shown changed. */
    private static Set<String> secrets(List<@Nullable Object> arguments, List<@Nullable Object> shown) {
        Set<String> secrets = new HashSet<>();
        for (int i = 0; i < arguments.size(); i++) {
            if (!Objects.equals(arguments.get(i), shown.get(i))) {
                collect(arguments.get(i), secrets);
            }
        }
        return secrets;
    }

    private static void collect(@Nullable Object value, Set<String> secrets) {
        if (secrets.size() >= MOST_SECRETS) {
            return;
        }
        if (value instanceof Map<?, ?> map) {
            map.values().forEach(each -> collect(each, secrets));
        } else if (value instanceof List<?> list) {
            list.forEach(each -> collect(each, secrets));
        } else if (value instanceof String
                || value instanceof Long
                || value instanceof BigInteger
                || value instanceof Double) {
            String text = value.toString();
            if (text.length() >= LEAST_SECRET) {
                secrets.add(text);
            }
        }
    }

    private static String without(Set<String> secrets, String text) {
        String rest = text;
        for (String secret : secrets.stream()
                .sorted(Comparator.comparingInt(String::length).reversed())
                .toList()) {
            rest = rest.replace(secret, HIDDEN);
        }
        return rest;
    }
}
