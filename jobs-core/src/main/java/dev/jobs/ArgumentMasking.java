package dev.jobs;

import dev.jobs.codec.AnyFailure;
import dev.jobs.codec.FailureText;
import dev.jobs.codec.JsonText;
import dev.jobs.codec.MaskedFailure;
import dev.jobs.codec.ParameterType;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Hides the arguments of jobs according to {@link Masked} and {@link ArgumentMask}. Immutable and thread-safe. */
public final class ArgumentMasking {

    /** Shown instead of a hidden argument. */
    public static final String HIDDEN = "•••";

    private static final String ARGS = "args";
    private static final String WRAPPED = "wrapped";
    private static final String MESSAGE = "error_message";

    /** Members made of all arguments or of a part of them: a reader who guesses an argument can verify it. */
    private static final Set<String> DIGESTS =
            JobRules.all().stream().flatMap(each -> each.digests().stream()).collect(Collectors.toUnmodifiableSet());

    /** What a job is and where it is. Nobody puts arguments there, and pages find jobs by it. */
    private static final Set<String> PLAIN =
            Set.of(ARGS, "class", WRAPPED, "display_class", "queue", "jid", "bid", "error_class", "error_backtrace");

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

    /**
     * Whether the key of a unique job may be made of hidden arguments; if so, don't show the digests of locks: a reader
     * who guesses a key can verify it.
     */
    public boolean mayHideKeys() {
        return !masks.isEmpty()
                || registry.definitions().stream()
                        .anyMatch(each -> each.hasDigest() && !each.masked().isEmpty());
    }

    /** The job with its hidden arguments masked; the same payload if nothing is hidden. */
    public Payload shown(Payload job) {
        if (ArgumentSeal.isSealed(job)) {
            return withoutQuotes(job.with(ARGS, ArgumentSeal.shown(job)), new Secrets());
        }
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
        return withoutQuotes(masked, secrets(job, arguments, shown));
    }

    /**
     * The job without its arguments and without all members that may quote them, none of which is read: for jobs that
     * are too large for {@link #shown(Payload)}.
     */
    public Payload hidden(Payload job) {
        Payload hidden = job.has(ARGS) ? job.with(ARGS, HIDDEN) : job;
        for (String name : job.names()) {
            byte[] value = job.raw(name);
            boolean holdsText = value != null && value.length > 0 && "\"[{".indexOf(value[0]) >= 0;
            if (name.equals(PastAttempt.MEMBER)) {
                hidden = hidden.without(name);
            } else if (DIGESTS.contains(name) || holdsText && !PLAIN.contains(name)) {
                hidden = hidden.with(name, HIDDEN);
            }
        }
        return hidden;
    }

    /** The other members may quote arguments, too: the message of a failure, tags, what a framework adds. */
    private static Payload withoutQuotes(Payload job, Secrets secrets) {
        Payload masked = withoutQuotesInAttempts(job, secrets);
        for (String name : job.names()) {
            if (DIGESTS.contains(name)) {
                masked = masked.with(name, HIDDEN);
            } else if (!PLAIN.contains(name) && !name.equals(PastAttempt.MEMBER)) {
                masked = withoutQuotes(masked, name, secrets);
            }
        }
        return masked;
    }

    private static Payload withoutQuotes(Payload job, String name, Secrets secrets) {
        Object value = job.get(name);
        if (!(value instanceof String || value instanceof List<?> || value instanceof Map<?, ?>)) {
            return job;
        }
        Object shown = secrets.without(value);
        if (value.equals(shown)) {
            return job;
        }
        try {
            return job.with(name, shown);
        } catch (InvalidJobException e) {
            return job.with(name, HIDDEN);
        }
    }

    /** Their messages are masked by those who ran them, who may have had other masks. */
    private static Payload withoutQuotesInAttempts(Payload job, Secrets secrets) {
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
                                JsonText.wellFormed(String.valueOf(name)), secrets.without(JsonText.wellFormed(text)));
                    } else if (value instanceof Long) {
                        shown.put(JsonText.wellFormed(String.valueOf(name)), value);
                    }
                });
                masked.add(shown);
            }
        }
        return job.with(PastAttempt.MEMBER, masked);
    }

    /**
     * A text that an execution of a job left, such as an exception's message, with its hidden arguments masked; nothing
     * of it if the job's texts are dropped.
     */
    public String shown(Payload job, String text) {
        return dropsTexts(job) ? HIDDEN : shownLabel(job, text);
    }

    /** What was said of a job before it was stored, such as a tag, with its hidden arguments masked. */
    public String shownLabel(Payload job, String text) {
        return !mayHide(job) || ArgumentSeal.isSealed(job) ? text : secrets(job).without(text);
    }

    /** The message of a failure of a job as it may be stored. */
    @Internal
    public String message(Payload job, Throwable failure) {
        String message = FailureText.message(failure);
        return isOpen(job, failure) ? message : shown(job, message);
    }

    /** The class and the message of a failure of a job as they may be stored; the class alone if it has no message. */
    @Internal
    public String typeAndMessage(Payload job, Throwable failure) {
        String type = failure.getClass().getName();
        return FailureText.message(failure).equals(type) ? type : type + ": " + message(job, failure);
    }

    /** A failure of a job as it may be logged. */
    @Internal
    public Throwable shown(Payload job, Throwable failure) {
        if (failure instanceof SealedArgumentsException) {
            return failure; // nobody here has the arguments
        }
        String open = isOpen(job, failure) ? String.valueOf(failure.getMessage()) : null;
        return MaskedFailure.of(failure, text -> text.equals(open) ? text : shown(job, text));
    }

    /** A job as it is stored after a failure: without its message, if the job's texts are dropped. */
    @Internal
    public Payload stored(Payload failed, Throwable failure) {
        return dropsTexts(failed) && !isOpen(failed, failure) ? failed.with(MESSAGE, HIDDEN) : failed;
    }

    private boolean isOpen(Payload job, Throwable failure) {
        return failure instanceof WithoutArguments && dropsTexts(job);
    }

    private boolean dropsTexts(Payload job) {
        return ArgumentSeal.isSealed(job) || dropsTexts(job.name()) || dropsTexts(job.text(WRAPPED));
    }

    private boolean dropsTexts(@Nullable String name) {
        return registry.find(name).filter(JobDefinition::dropsTexts).isPresent()
                || name != null
                        && registry.upcastNames().contains(name)
                        && registry.definitions().stream().anyMatch(JobDefinition::dropsTexts);
    }

    /** What is stored of a digest of arguments of a job. */
    @Internal
    public String storedDigest(String name, String digest) {
        return registry.storedDigest(name, digest);
    }

    /** Whether any argument of the job may be hidden. */
    public boolean mayHide(Payload job) {
        return !masks.isEmpty() || ArgumentSeal.isSealed(job) || hides(job.name()) || hides(job.text(WRAPPED));
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

    private Secrets secrets(Payload job) {
        if (job.hasArgsArray()) {
            List<@Nullable Object> arguments = job.args();
            return secrets(job, arguments, shown(job, arguments));
        }
        Secrets secrets = new Secrets();
        secrets.add(job.get(ARGS), HIDDEN, null);
        return secrets;
    }

    private Secrets secrets(Payload job, List<@Nullable Object> arguments, List<@Nullable Object> shown) {
        List<ParameterType> parameters =
                registry.find(job.name()).map(JobDefinition::parameters).orElse(List.of());
        Secrets secrets = new Secrets();
        for (int i = 0; i < arguments.size(); i++) {
            Type type = i < parameters.size() && !isUpcast(job.name())
                    ? parameters.get(i).type()
                    : null;
            secrets.add(arguments.get(i), shown.get(i), type);
        }
        return secrets;
    }
}
