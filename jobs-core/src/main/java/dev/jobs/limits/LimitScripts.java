package dev.jobs.limits;

import static dev.jobs.store.StoreScripts.EFFECTS;
import static dev.jobs.store.StoreScripts.PLACES;

import dev.jobs.Internal;
import dev.jobs.redis.LuaPart;
import dev.jobs.redis.LuaScript;

/** The scripts of limits. */
@Internal
public final class LimitScripts {

    /** Permits, rates and parked jobs. */
    public static final LuaPart LIMITS = LuaPart.listed("shared_limits");

    static final LuaScript ADMIT = script("admit", PLACES, LIMITS, EFFECTS);
    static final LuaScript LIMITS_DECLARE = script("limits_declare");
    static final LuaScript LIMITS_SET = script("limits_set", LIMITS);
    static final LuaScript LIMITS_SWEEP = script("limits_sweep", LIMITS);
    static final LuaScript LIMIT_READ = script("limit_read", LIMITS);
    static final LuaScript PARKED_SWEEP = script("parked_sweep", LIMITS);
    static final LuaScript PERMITS_DROP = script("permits_drop", LIMITS);
    static final LuaScript RATES_SWEEP = script("rates_sweep", LIMITS);
    static final LuaScript WAKE = script("wake", LIMITS);

    private LimitScripts() {}

    private static LuaScript script(String name, LuaPart... parts) {
        return LuaScript.of(LimitScripts.class, name, parts);
    }
}
