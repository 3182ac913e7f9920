package dev.jobs.redis;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** A Lua script from the class path and its digest. */
enum LuaScript {
    BEAT,
    CALL,
    CANCEL,
    CLAIM,
    CLEAR,
    CONDEMN,
    CRON_DELETE,
    CRON_FIRE,
    CRON_SAVE,
    DECLARED,
    DUE,
    FLUSH,
    HEADS,
    LEAVE,
    LEDGER,
    MARK,
    METRICS,
    MOVE,
    PART,
    PROCESS,
    PUSH,
    REAP,
    RESTORE,
    SCAN,
    SCHEDULE,
    SIGNAL,
    TRASH;

    private final byte[] source;
    private final String digest;

    LuaScript() {
        String file = name().toLowerCase(java.util.Locale.ROOT) + ".lua";
        try (InputStream in = LuaScript.class.getResourceAsStream(file)) {
            if (in == null) {
                throw new IllegalStateException("The script " + file + " is missing on the class path");
            }
            source = in.readAllBytes();
            digest = HexFormat.of().formatHex(MessageDigest.getInstance("SHA-1").digest(source));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    String source() {
        return new String(source, UTF_8);
    }

    String digest() {
        return digest;
    }
}
