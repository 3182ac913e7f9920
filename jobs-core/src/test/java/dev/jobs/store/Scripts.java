package dev.jobs.store;

import dev.jobs.redis.LuaScript;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** The scripts as they appear on the wire, for tests outside this package. */
public final class Scripts {

    private Scripts() {}

    /** The names of all scripts. */
    public static List<String> names() {
        return Arrays.stream(LuaScript.values())
                .map(script -> script.name().toLowerCase(Locale.ROOT))
                .toList();
    }

    /** The argument that calls a script, such as {@code claim}, that the server knows. */
    public static String digest(String name) {
        return script(name).digest();
    }

    /** The argument that calls a script that the server doesn't know. */
    public static String source(String name) {
        return script(name).source();
    }

    private static LuaScript script(String name) {
        return LuaScript.valueOf(name.toUpperCase(Locale.ROOT));
    }
}
