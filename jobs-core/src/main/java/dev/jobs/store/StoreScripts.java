package dev.jobs.store;

import dev.jobs.Internal;
import dev.jobs.redis.LuaPart;
import dev.jobs.redis.LuaScript;
import dev.jobs.redis.SortedQueue;

/** The scripts that store, claim, settle and move jobs, and what they share with those of features. */
@Internal
public final class StoreScripts {

    /** Where jobs are, and how they come there. */
    public static final LuaPart PLACES = part("shared_places");

    /** How often jobs outlived their workers. */
    public static final LuaPart STRIKES = part("shared_strikes");

    /** Within the only function that uses them: most calls have no effects. */
    public static final LuaPart EFFECTS = new LuaPart(
            () -> "local handing, went_on, offers, again\nlocal function each(...)\n" + code("shared_effects")
                    + "function make(kind)\n" + branches("effect_", "kind", "", "")
                    + "return kinds[kind]\nend\nreturn each(...)\nend\n");

    /** The kinds within a function that only calls with checks use. */
    private static final LuaPart CHECKS =
            new LuaPart(() -> "local function make(checks, kind)\n" + PLACES.code() + code("shared_refusals")
                    + branches("check_", "kind", "", "") + "return checks[kind]\nend\n" + code("shared_checks"));

    /** How jobs are taken, and the gates that stand at their queues: only these are made. */
    private static final LuaPart TAKING = new LuaPart(() -> code("shared_taking") + "while ARGV[first_effect] do\n"
            + branches("gate_", "ARGV[first_effect]", "first_effect = open(first_effect + 1)\n", "else break ")
            + "end\n");

    static final LuaScript CLAIM = script("claim", PLACES, STRIKES, EFFECTS, TAKING);

    static final LuaScript PUSH = script("push", CHECKS);
    static final LuaScript PUSH_SORTED = script("push_sorted", CHECKS, SortedQueue.ORDER);
    static final LuaScript SCHEDULE = script("schedule", CHECKS);

    private StoreScripts() {}

    private static LuaScript script(String name, LuaPart... parts) {
        return LuaScript.of(StoreScripts.class, name, parts);
    }

    private static LuaPart part(String name) {
        return LuaPart.of(StoreScripts.class, name);
    }

    private static String code(String name) {
        return part(name).code();
    }

    /** Each kind within a branch of its own, with the parts that only some need; {@code none} is for other values. */
    private static String branches(String prefix, String variable, String last, String none) {
        StringBuilder all = new StringBuilder();
        for (String kind : LuaPart.kinds(prefix)) {
            all.append(all.isEmpty() ? "if " : "elseif ")
                    .append(variable + " == '" + kind + "' then\n")
                    .append(LuaPart.listed(prefix + kind).code())
                    .append(last);
        }
        return all.append(none + "end\n").toString();
    }
}
