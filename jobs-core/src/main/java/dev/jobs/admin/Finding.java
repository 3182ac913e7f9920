package dev.jobs.admin;

import dev.jobs.Internal;
import java.util.List;

/**
 * Something people should know: a problem, or the reason why a job waits.
 *
 * @param code its kind, for programs: lower-case words joined by dashes
 * @param level how bad it is
 * @param subject the queue, job or process it is about; empty if there is none
 * @param values numbers and names for the message, as text
 * @param message a sentence for people, in English
 */
public record Finding(String code, Level level, String subject, List<String> values, String message) {

    /** How bad it is. */
    public enum Level {
        INFO,
        WARNING,
        ERROR
    }

    public Finding {
        values = List.copyOf(values);
    }

    @Internal
    public static Finding info(String code, String subject, String message, Object... values) {
        return of(code, Level.INFO, subject, message, values);
    }

    @Internal
    public static Finding warning(String code, String subject, String message, Object... values) {
        return of(code, Level.WARNING, subject, message, values);
    }

    @Internal
    public static Finding error(String code, String subject, String message, Object... values) {
        return of(code, Level.ERROR, subject, message, values);
    }

    private static Finding of(String code, Level level, String subject, String message, Object... values) {
        return new Finding(
                code,
                level,
                subject,
                List.of(values).stream().map(String::valueOf).toList(),
                message);
    }
}
