package dev.jobs.spring.autoconfigure.operations;

import dev.jobs.Internal;
import java.util.Map;

/**
 * What an operation answers.
 *
 * @param status as in HTTP
 */
@Internal
public record Answer(Object body, int status) {

    private static final int OK = 200;
    private static final int BAD_REQUEST = 400;
    private static final int NOT_FOUND = 404;

    public static Answer found(Object body) {
        return new Answer(body, OK);
    }

    /** @param changed false if it was already in this state, which is not an error */
    public static Answer done(boolean changed) {
        return found(Map.of("changed", changed));
    }

    public static Answer notFound(String text) {
        return problem(NOT_FOUND, text);
    }

    public static Answer wrong(String text) {
        return problem(BAD_REQUEST, text);
    }

    public static Answer problem(int status, String text) {
        return new Answer(Map.of("error", text), status);
    }
}
