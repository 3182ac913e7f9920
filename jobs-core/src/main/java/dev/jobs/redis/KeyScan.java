package dev.jobs.redis;

import dev.jobs.Internal;
import io.lettuce.core.KeyScanCursor;
import io.lettuce.core.ScanArgs;
import io.lettuce.core.ScanCursor;
import java.util.List;

/** Walks through the keys whose names begin with a prefix. Confined to one thread. */
@Internal
public final class KeyScan {

    private final RedisConnection connection;
    private final String prefix;
    private final ScanArgs matching;
    private ScanCursor cursor = ScanCursor.INITIAL;

    /** @param step about how many keys of the server one call looks at */
    public KeyScan(RedisConnection connection, String prefix, int step) {
        this.connection = connection;
        this.prefix = prefix;
        this.matching =
                ScanArgs.Builder.matches(Replies.escapeGlob(prefix) + "*").limit(step);
    }

    public boolean isFinished() {
        return cursor.isFinished();
    }

    /** What follows the prefix in some more names, as many as one call finds: maybe none. */
    public List<String> next() {
        ScanCursor from = cursor;
        KeyScanCursor<byte[]> page = connection.run(commands -> commands.scan(from, matching));
        cursor = page;
        return page.getKeys().stream()
                .map(key -> Bytes.text(key).substring(prefix.length()))
                .toList();
    }
}
