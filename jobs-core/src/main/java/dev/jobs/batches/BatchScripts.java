package dev.jobs.batches;

import static dev.jobs.redis.SortedQueue.ORDER;
import static dev.jobs.store.StoreScripts.EFFECTS;

import dev.jobs.redis.LuaPart;
import dev.jobs.redis.LuaScript;

/** The scripts of batches. */
final class BatchScripts {

    /** Judges a batch by its counters. */
    private static final LuaPart JUDGE = LuaPart.of(BatchScripts.class, "shared_batches");

    static final LuaScript ARCHIVED = script("batch_archived");
    static final LuaScript CANCEL = script("batch_cancel");
    static final LuaScript CHECK = script("batch_check");
    static final LuaScript COMMIT = script("batch_commit");
    static final LuaScript CREATE = script("batch_create");
    static final LuaScript DEFINE = script("batch_define");
    static final LuaScript DISCARD = script("batch_discard");
    static final LuaScript DOUBT = script("batch_doubt");
    static final LuaScript FILL = script("batch_fill", ORDER);
    static final LuaScript FINISH = script("batch_finish", JUDGE);
    static final LuaScript FORGET = script("batch_forget");
    static final LuaScript MARK = script("batch_mark", EFFECTS);
    static final LuaScript READ = script("batch_read");
    static final LuaScript RELEASE = script("batch_release", ORDER);
    static final LuaScript RESERVE = script("batch_reserve");
    static final LuaScript SEARCH = script("batch_search");
    static final LuaScript TEXTS = script("batch_texts");
    static final LuaScript TOLD = script("batch_told", EFFECTS);
    static final LuaScript TRIM = script("batch_trim");
    static final LuaScript WATCH = script("batch_watch", JUDGE);

    private BatchScripts() {}

    private static LuaScript script(String name, LuaPart... parts) {
        return LuaScript.of(BatchScripts.class, name, parts);
    }
}
