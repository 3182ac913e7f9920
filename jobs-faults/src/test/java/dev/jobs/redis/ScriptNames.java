package dev.jobs.redis;

import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/** The names of the library's scripts on the wire. */
public final class ScriptNames {

    private ScriptNames() {}

    /** The name of each script, such as {@code claim}, by its digest. */
    public static Map<String, String> byDigest() {
        return Arrays.stream(LuaScript.values()).collect(Collectors.toMap(LuaScript::digest, ScriptNames::name));
    }

    private static String name(LuaScript script) {
        return script.name().toLowerCase(Locale.ROOT);
    }
}
