package dev.jobs.testing;

import static java.util.stream.Collectors.toCollection;

import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;

/** The commands that Lua calls, by its text. */
public final class LuaCommands {

    private static final Pattern QUOTED = Pattern.compile("'([A-Z]{3,})'");

    private LuaCommands() {}

    /** Those in a text, in lower case. */
    public static Set<String> in(String lua, RedisFixture redis) {
        Set<String> known = redis.texts().command().stream()
                .map(each -> String.valueOf(((List<?>) each).get(0)))
                .collect(toCollection(TreeSet::new));
        known.remove("readonly"); // an error
        return QUOTED.matcher(lua)
                .results()
                .map(found -> found.group(1).toLowerCase(Locale.ROOT))
                .filter(known::contains)
                .collect(toCollection(TreeSet::new));
    }
}
