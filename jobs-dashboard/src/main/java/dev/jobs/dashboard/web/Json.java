package dev.jobs.dashboard.web;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.jobs.Internal;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

/**
 * Writes answers with our own mapper: the application's configuration of its mapper must not change what our pages
 * read.
 */
@Internal
public final class Json {

    private static final JsonMapper MAPPER = JsonMapper.builder().build();

    private Json() {}

    /** Records, maps, lists, text, numbers and booleans as JSON; unpaired surrogates become question marks. */
    public static byte[] bytes(@Nullable Object value) {
        return MAPPER.writeValueAsString(value).getBytes(UTF_8);
    }

    /** An object whose members are texts. */
    public static Map<String, String> texts(byte[] object) {
        return MAPPER.readerForMapOf(String.class).readValue(object);
    }
}
