package dev.jobs.dashboard;

import dev.jobs.InvalidJobException;
import dev.jobs.codec.JsonException;
import dev.jobs.codec.JsonObject;
import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A request and its sender. Every parameter is bounded: a larger one is refused, and nothing is read beyond its bounds.
 */
final class ApiRequest {

    private static final int MOST_BODY = 256 * 1_024;
    private static final int MOST_LIST = 200;

    private final HttpServletRequest request;
    private final DashboardRole role;
    private final String actor;
    private final @Nullable JsonObject body;

    private ApiRequest(HttpServletRequest request, DashboardRole role, String actor, @Nullable JsonObject body) {
        this.request = request;
        this.role = role;
        this.actor = actor;
        this.body = body;
    }

    static ApiRequest reading(HttpServletRequest request, DashboardRole role, String actor) {
        return new ApiRequest(request, role, actor, null);
    }

    /** @throws Problem if the body is not a JSON object */
    static ApiRequest writing(HttpServletRequest request, DashboardRole role, String actor) throws IOException {
        String type = request.getContentType();
        if (type == null || !type.split(";", 2)[0].strip().equalsIgnoreCase("application/json")) {
            throw new Problem(415, "content-type", "Send application/json");
        }
        byte[] bytes = request.getContentLengthLong() > MOST_BODY
                ? new byte[0]
                : request.getInputStream().readNBytes(MOST_BODY + 1);
        if (request.getContentLengthLong() > MOST_BODY || bytes.length > MOST_BODY) {
            throw new Problem(413, "too-large", "Send at most " + MOST_BODY + " bytes");
        }
        try {
            return new ApiRequest(request, role, actor, JsonObject.parse(bytes));
        } catch (JsonException e) {
            throw Problem.badParameter("body", "a JSON object");
        }
    }

    HttpServletRequest http() {
        return request;
    }

    DashboardRole role() {
        return role;
    }

    /** The name of the sender, for people. */
    String actor() {
        return actor;
    }

    /** A text of 1 to {@code most} characters. */
    String text(String name, int most) {
        String text = textOrNull(name, most);
        if (text == null || text.isEmpty()) {
            throw Problem.badParameter(name, "1 to " + most + " characters");
        }
        return text;
    }

    /** A text of at most {@code most} characters; null if it is missing. */
    @Nullable String textOrNull(String name, int most) {
        Object value = value(name);
        if (value == null) {
            return null;
        }
        if (value instanceof String text && text.length() <= most) {
            return text;
        }
        throw Problem.badParameter(name, "at most " + most + " characters");
    }

    /** One of the words; the first if it is missing. */
    String word(String name, String... words) {
        Object value = value(name);
        if (value == null) {
            return words[0];
        }
        for (String word : words) {
            if (word.equals(value)) {
                return word;
            }
        }
        throw Problem.badParameter(name, "one of " + String.join(", ", words));
    }

    boolean flag(String name) {
        Object value = value(name);
        return value instanceof Boolean given
                ? given
                : word(name, "false", "true").equals("true");
    }

    long number(String name, long otherwise, long least, long most) {
        Object value = value(name);
        if (value == null) {
            return otherwise;
        }
        long number;
        try {
            number = value instanceof Long given ? given : Long.parseLong(String.valueOf(value));
        } catch (NumberFormatException e) {
            throw Problem.badParameter(name, least + " to " + most);
        }
        if (number < least || number > most) {
            throw Problem.badParameter(name, least + " to " + most);
        }
        return number;
    }

    /** 1 to 200 texts of the body. */
    List<String> texts(String name, int most) {
        List<String> texts = new ArrayList<>();
        if (value(name) instanceof List<?> list && list.size() <= MOST_LIST) {
            for (Object each : list) {
                if (!(each instanceof String text) || text.length() > most) {
                    throw Problem.badParameter(name, "a list of texts of at most " + most + " characters");
                }
                texts.add(text);
            }
        }
        if (texts.isEmpty()) {
            throw Problem.badParameter(name, "a list of 1 to " + MOST_LIST + " texts");
        }
        return texts;
    }

    boolean has(String name) {
        return value(name) != null;
    }

    /** The same request, with its parameters taken from an object inside the body. */
    ApiRequest inside(String name) {
        if (value(name) instanceof Map<?, ?> map) {
            Map<String, @Nullable Object> members = new java.util.LinkedHashMap<>();
            map.forEach((key, value) -> members.put(String.valueOf(key), value));
            try {
                return new ApiRequest(request, role, actor, JsonObject.of(members));
            } catch (JsonException e) {
                throw new InvalidJobException(String.valueOf(e.getMessage()));
            }
        }
        throw Problem.badParameter(name, "an object");
    }

    private @Nullable Object value(String name) {
        if (body != null) {
            return body.get(name);
        }
        try {
            return request.getParameter(name);
        } catch (RuntimeException e) {
            throw Problem.badParameter(name, "valid UTF-8"); // the container can't read the query at all
        }
    }
}
