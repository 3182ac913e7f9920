package dev.jobs.redis;

import java.util.Locale;

/** The scripts as they appear on the wire, for tests outside this package. */
public final class Scripts {

    private Scripts() {}

    /** What calls a script, such as {@code claim}, that the server knows. */
    public static String digest(String name) {
        return script(name).digest();
    }

    /** What calls one that it doesn't know. */
    public static String source(String name) {
        return script(name).source();
    }

    private static LuaScript script(String name) {
        return LuaScript.valueOf(name.toUpperCase(Locale.ROOT));
    }
}
