package dev.jobs.redis;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.jobs.Internal;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URL;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Collections;
import java.util.HexFormat;
import java.util.Locale;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * A Lua script from the class path and its digest. Files named {@code shared_…}, {@code effect_…} and {@code check_…}
 * are parts with one task each; they precede the scripts that need them.
 */
@Internal
public enum LuaScript {
    ADMIT(Part.PLACES, Part.LIMITS, Part.EFFECTS),
    BATCH_ARCHIVED,
    BATCH_CANCEL,
    BATCH_CHECK,
    BATCH_COMMIT,
    BATCH_CREATE,
    BATCH_DEFINE,
    BATCH_DISCARD,
    BATCH_DOUBT,
    BATCH_FILL(Part.ORDER),
    BATCH_FINISH(Part.BATCHES),
    BATCH_FORGET,
    BATCH_MARK(Part.EFFECTS),
    BATCH_READ,
    BATCH_RELEASE(Part.ORDER),
    BATCH_RESERVE,
    BATCH_SEARCH,
    BATCH_TEXTS,
    BATCH_TOLD(Part.EFFECTS),
    BATCH_TRIM,
    BATCH_WATCH(Part.BATCHES),
    BEAT,
    BEGIN,
    CANCEL,
    CANCEL_FORGET,
    CLAIM(Part.PLACES, Part.STRIKES, Part.ORDER, Part.EFFECTS, Part.QUEUE_LIMITS),
    CLEAR,
    CONDEMN,
    DEPLOY_MARK,
    DUE,
    EFFECTS_AGAIN(Part.EFFECTS),
    FLUSH,
    IN_TIME,
    LEAVE,
    LEDGER,
    LIMITER,
    LIMITER_FREE,
    LIMITER_SIZE,
    LIMITER_USED,
    LIMIT_READ(Part.LIMITS),
    LIMITS_DECLARE,
    LIMITS_SET(Part.LIMITS),
    LIMITS_SWEEP(Part.LIMITS),
    METRICS,
    MOVE(Part.PLACES, Part.ORDER, Part.EFFECTS),
    NOTE(Part.EFFECTS),
    ON_CALL,
    OUTBOX(Part.ORDER),
    PARKED_SWEEP(Part.LIMITS),
    PERMITS_DROP(Part.LIMITS),
    PROCESS,
    PUSH(Part.CHECKS),
    PUSH_ORDERED(Part.CHECKS, Part.ORDER),
    QUEUE_HEADS,
    QUEUE_SIZES,
    RATES_SWEEP(Part.LIMITS),
    READING,
    READ_PART,
    REAP(Part.PLACES, Part.STRIKES, Part.EFFECTS),
    RECURRING_DECLARED,
    RECURRING_DELETE,
    RECURRING_FIRE(Part.PLACES),
    RECURRING_SAVE,
    RESTORE(Part.PLACES, Part.EFFECTS),
    SCAN,
    SCHEDULE(Part.CHECKS),
    SIGNAL,
    TIME,
    TRANSFER_CLOSE,
    TRANSFER_RETURN(Part.PLACES, Part.EFFECTS),
    TRANSFER_SETTLE,
    TRANSFER_START,
    TRANSFER_STORE(Part.PLACES, Part.ORDER, Part.EFFECTS),
    TRANSFER_TAKE(Part.PLACES, Part.STRIKES, Part.LIMITS, Part.EFFECTS),
    TRASH(Part.PLACES, Part.EFFECTS),
    UNLOCK,
    WAKE(Part.LIMITS);

    /** All kinds of effects. Each module that adds kinds has its own list. */
    public static final Set<String> EFFECT_KINDS = Part.EFFECT_KINDS;

    /** The same for checks. */
    public static final Set<String> CHECK_KINDS = Part.CHECK_KINDS;

    private final byte[] source;
    private final String digest;

    LuaScript(String... parts) {
        source = (Part.PRELUDES + String.join("", parts) + file(name().toLowerCase(Locale.ROOT))).getBytes(UTF_8);
        try {
            digest = HexFormat.of().formatHex(MessageDigest.getInstance("SHA-1").digest(source));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    private static String file(String name) {
        String file = name + ".lua";
        try (InputStream in = LuaScript.class.getResourceAsStream(file)) {
            if (in == null) {
                throw new IllegalStateException("The script " + file + " is missing on the class path");
            }
            return new String(in.readAllBytes(), UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public String source() {
        return new String(source, UTF_8);
    }

    public String digest() {
        return digest;
    }

    private static final class Part {
        /** Empty, unless a module on the class path puts something before every script, as jobs-test does. */
        static final String PRELUDES = files("prelude_", read("dev/jobs/redis/preludes.txt"));

        static final String PLACES = file("shared_places");
        static final String ORDER = file("shared_order");
        static final String BATCHES = file("shared_batches");
        static final String STRIKES = file("shared_strikes");
        static final String RATES = file("shared_rates");
        static final String LIMITS = RATES + file("shared_conditions") + file("shared_limits");
        static final Set<String> EFFECT_KINDS = read("dev/jobs/redis/effects.txt");
        /** The kinds that use {@link #LIMITS}. */
        static final Set<String> LIMITED_KINDS = Set.of("permit", "room");

        static final Set<String> CHECK_KINDS = read("dev/jobs/redis/checks.txt");
        /** Within the only function that uses them: most calls have no effects. */
        static final String EFFECTS =
                "local handing, offers, again\nlocal function each(...)\n" + file("shared_effects")
                        + "function make(kind)\n" + kinds() + "return kinds[kind]\nend\nreturn each(...)\nend\n";

        /** Within the only function that uses them, for calls that claim from queues with limits. */
        static final String QUEUE_LIMITS =
                "local function queue_limits(...)\n" + LIMITS + file("shared_queue_limits") + "return read(...)\nend\n";

        /** The kinds within a function that only calls with checks use. */
        static final String CHECKS =
                "local function all_checks()\nlocal checks = {}\n" + PLACES + file("shared_refusals")
                        + files("check_", CHECK_KINDS) + "return checks\nend\n" + file("shared_checks");

        /** Each within a branch of its own, with the parts that only some need. */
        private static String kinds() {
            StringBuilder all = new StringBuilder();
            for (String kind : EFFECT_KINDS) {
                all.append(all.isEmpty() ? "if" : "elseif")
                        .append(" kind == '")
                        .append(kind)
                        .append("' then\n")
                        .append(LIMITED_KINDS.contains(kind) ? LIMITS : "")
                        .append(file("effect_" + kind));
            }
            return all.append("end\n").toString();
        }

        private static String files(String prefix, Set<String> names) {
            return names.stream().map(name -> file(prefix + name)).collect(Collectors.joining());
        }

        /** The lines of all resources with that name. */
        private static Set<String> read(String list) {
            SortedSet<String> names = new TreeSet<>();
            try {
                for (URL part :
                        Collections.list(LuaScript.class.getClassLoader().getResources(list))) {
                    try (InputStream in = part.openStream()) {
                        new String(in.readAllBytes(), UTF_8)
                                .lines()
                                .filter(line -> !line.isBlank())
                                .forEach(names::add);
                    }
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            return Collections.unmodifiableSortedSet(names);
        }
    }
}
