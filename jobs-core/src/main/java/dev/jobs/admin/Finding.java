package dev.jobs.admin;

import java.util.List;

/**
 * Something that people should know: what is wrong, or why a job waits.
 *
 * @param code what it is, for programs: lower-case words joined by dashes
 * @param level how bad it is
 * @param subject what it is about: the name of a queue, job or process; empty if that is clear
 * @param values numbers that belong to it, as text
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

    static Finding info(String code, String subject, String message, Object... values) {
        return of(code, Level.INFO, subject, message, values);
    }

    static Finding warning(String code, String subject, String message, Object... values) {
        return of(code, Level.WARNING, subject, message, values);
    }

    static Finding error(String code, String subject, String message, Object... values) {
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
