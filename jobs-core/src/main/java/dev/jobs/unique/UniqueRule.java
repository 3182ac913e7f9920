package dev.jobs.unique;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.jobs.Internal;
import dev.jobs.InvalidJobException;
import dev.jobs.KeyTemplate;
import dev.jobs.Payload;
import dev.jobs.codec.ArgumentCodec;
import dev.jobs.codec.ParameterType;
import dev.jobs.unique.Unique.OnConflict;
import dev.jobs.unique.Unique.Until;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What {@link Unique} says of a job, with its template parsed. Immutable. */
@Internal
public final class UniqueRule {

    /** The payload's member for the lock's digest. */
    public static final String LOCK = "unique_lock";

    /** The payload's member for the seconds that a lock lasts at most, as Sidekiq Enterprise has it. */
    public static final String FOR = "unique_for";

    /** The same for when it is released. */
    public static final String UNTIL = "unique_until";

    /** The same for what becomes of a duplicate; missing in most payloads. */
    public static final String CONFLICT = "unique_conflict";

    /** For jobs without the annotation, whose calls name a key. */
    public static final UniqueRule WITHOUT_ANNOTATION =
            new UniqueRule(KeyTemplate.EMPTY, Until.SUCCESS, 86_400, OnConflict.SKIP);

    private final KeyTemplate template;
    private final Until until;
    private final Number seconds;
    private final OnConflict onConflict;

    private UniqueRule(KeyTemplate template, Until until, Number seconds, OnConflict onConflict) {
        this.template = template;
        this.until = until;
        this.seconds = seconds;
        this.onConflict = onConflict;
    }

    /**
     * Parses the template.
     *
     * @param seconds {@link Unique#forAtMost}
     * @throws IllegalArgumentException if the template fits no parameters; says why
     */
    static UniqueRule of(Unique unique, Number seconds, List<ParameterType> parameters, ArgumentCodec codec) {
        return new UniqueRule(
                KeyTemplate.of(unique.key(), parameters, codec), unique.until(), seconds, unique.onConflict());
    }

    /** Why what the annotation says of duplicates doesn't fit the lock's end; null if it does. */
    static @Nullable String misfit(Unique unique) {
        boolean expires = unique.until() == Until.EXPIRY;
        if (unique.onConflict() != (expires ? OnConflict.REPLACE : OnConflict.LATER)) {
            return null;
        }
        return "its @Unique has onConflict = " + unique.onConflict()
                + (expires
                        ? ", but its lock doesn't end with its job"
                        : ", but its lock doesn't end after a fixed time");
    }

    /** When the lock is released. */
    public Until until() {
        return until;
    }

    /** How long the lock lasts at most, in seconds. */
    Number seconds() {
        return seconds;
    }

    /** What becomes of a duplicate. */
    OnConflict onConflict() {
        return onConflict;
    }

    /**
     * The key of a call.
     *
     * @param arguments as plain values, as {@link Payload#args} returns them
     * @throws InvalidJobException if an argument can't have the members that the template names
     */
    public String key(List<? extends @Nullable Object> arguments) {
        return template.isEmpty() ? template.wholeKey(arguments) : template.key(arguments, "its lock");
    }

    /** Whether its key is made of some of these arguments. */
    public boolean tellsOf(Set<Integer> arguments) {
        return !arguments.isEmpty() && (template.isEmpty() || !Collections.disjoint(template.arguments(), arguments));
    }

    /** What stands for a debounced job's key: never a lock's, since the name of a job has no line breaks. */
    static String debounceDigest(String job, String key) {
        return digest("\n" + job, key);
    }

    /** The name of the lock of a job's key: 43 characters that fit everywhere. */
    public static String digest(String job, String key) {
        try {
            byte[] hash = MessageDigest.getInstance("SHA-256").digest((job + "\n" + key).getBytes(UTF_8));
            return Base64.getUrlEncoder().withoutPadding().encodeToString(hash);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
