package dev.jobs.dashboard;

import static java.nio.charset.StandardCharsets.UTF_8;

import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

/** Writes answers, with a mapper of our own: how the application configures its own must not change what our pages read. */
final class Json {

    private static final JsonMapper MAPPER = JsonMapper.builder().build();

    private Json() {}

    /** Records, maps, lists, text, numbers and booleans as JSON; half characters become question marks. */
    static byte[] bytes(@Nullable Object value) {
        return MAPPER.writeValueAsString(value).getBytes(UTF_8);
    }
}
