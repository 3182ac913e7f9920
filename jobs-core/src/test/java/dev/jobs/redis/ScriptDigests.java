package dev.jobs.redis;

import java.util.Locale;

/** What scripts are called on the wire. */
public final class ScriptDigests {

    private ScriptDigests() {}

    /** The digest of a script, such as {@code claim}. */
    public static String of(String name) {
        return LuaScript.valueOf(name.toUpperCase(Locale.ROOT)).digest();
    }
}
