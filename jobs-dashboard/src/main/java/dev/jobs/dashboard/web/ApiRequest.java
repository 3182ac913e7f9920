package dev.jobs.dashboard.web;

import dev.jobs.Internal;
import dev.jobs.InvalidJobException;
import dev.jobs.codec.JsonException;
import dev.jobs.codec.JsonObject;
import dev.jobs.dashboard.DashboardRole;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A request and its sender. Every parameter is bounded: a larger one is refused, and nothing is read beyond its bounds.
 */
@Internal
public final class ApiRequest {

    /** Of characters of a name, such as that of a queue. */
    public static final int MOST_NAME = 500;

    public static final int MOST_BODY = 256 * 1_024;
    private static final int MOST_LIST = 200;

    private final WebRequest request;
    private final DashboardRole role;
    private final Actor actor;
    private final String installation;
    private final @Nullable JsonObject body;

    private ApiRequest(
            WebRequest request, DashboardRole role, Actor actor, String installation, @Nullable JsonObject body) {
        this.request = request;
        this.role = role;
        this.actor = actor;
        this.installation = installation;
        this.body = body;
    }

    public static ApiRequest reading(WebRequest request, DashboardRole role, Actor actor, String installation) {
        return new ApiRequest(request, role, actor, installation, null);
    }

    /** @throws Problem if the headers say that the body is too large or no JSON */
    public static void checkHeaders(WebRequest request) {
        String type = request.header("Content-Type");
        if (type == null || !type.split(";", 2)[0].strip().equalsIgnoreCase("application/json")) {
            throw new Problem(415, "content-type", "Send application/json");
        }
        String length = request.header("Content-Length");
        if (length != null && (!length.matches("[0-9]{1,6}") || Integer.parseInt(length) > MOST_BODY)) {
            throw tooLarge();
        }
    }

    /** @throws Problem if the body is too large or not a JSON object */
    public static ApiRequest writing(
            WebRequest request, DashboardRole role, Actor actor, String installation, byte[] body) {
        if (body.length > MOST_BODY) {
            throw tooLarge();
        }
        try {
            return new ApiRequest(request, role, actor, installation, JsonObject.parse(body));
        } catch (JsonException e) {
            throw Problem.badParameter("body", "a JSON object");
        }
    }

    public static Problem tooLarge() {
        return new Problem(413, "too-large", "Send at most " + MOST_BODY + " bytes");
    }

    public WebRequest web() {
        return request;
    }

    public DashboardRole role() {
        return role;
    }

    /** The name of the installation that it is about, for the audit; empty for the application's own. */
    String installation() {
        return installation;
    }

    /** Who sent it, for the audit. */
    String actor() {
        return actor.audited();
    }

    /** The name of the sender, for pages. */
    public String shownActor() {
        return actor.shown();
    }

    /** A text of 1 to {@code most} characters. */
    public String text(String name, int most) {
        String text = textOrNull(name, most);
        if (text == null || text.isEmpty()) {
            throw Problem.badParameter(name, "1 to " + most + " characters");
        }
        return text;
    }

    /** A text of at most {@code most} characters; null if it is missing. */
    @Nullable public String textOrNull(String name, int most) {
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
    public String word(String name, String... words) {
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

    /** The constant of that name; {@code otherwise} if it is missing. */
    public <E extends Enum<E>> E choice(String name, Class<E> type, E otherwise) {
        return has(name)
                ? Enum.valueOf(
                        type,
                        word(
                                name,
                                Stream.of(type.getEnumConstants())
                                        .map(Enum::name)
                                        .toArray(String[]::new)))
                : otherwise;
    }

    public boolean flag(String name) {
        Object value = value(name);
        return value instanceof Boolean given
                ? given
                : word(name, "false", "true").equals("true");
    }

    public long number(String name, long otherwise, long least, long most) {
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
    public List<String> texts(String name, int most) {
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

    /** At most {@code count} texts or nulls of the body. */
    public List<@Nullable String> parts(String name, int count, int most) {
        if (!(value(name) instanceof List<?> list) || list.size() > count) {
            throw Problem.badParameter(name, "a list of at most " + count + " texts");
        }
        List<@Nullable String> parts = new ArrayList<>();
        for (Object each : list) {
            if (each != null && !(each instanceof String text && text.length() <= most)) {
                throw Problem.badParameter(name, "a list of texts of at most " + most + " characters, or null");
            }
            parts.add((String) each);
        }
        return parts;
    }

    public boolean has(String name) {
        return value(name) != null;
    }

    /** The same request, about one installation of several. */
    public ApiRequest in(String name) {
        return new ApiRequest(request, role, actor, name, body);
    }

    /** The same request, with its parameters taken from an object inside the body. */
    public ApiRequest inside(String name) {
        if (value(name) instanceof Map<?, ?> map) {
            Map<String, @Nullable Object> members = new java.util.LinkedHashMap<>();
            map.forEach((key, value) -> members.put(String.valueOf(key), value));
            try {
                return new ApiRequest(request, role, actor, installation, JsonObject.of(members));
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
            return Query.parameter(request.query(), name);
        } catch (IllegalArgumentException e) {
            throw Problem.badParameter(name, "valid UTF-8");
        }
    }
}
