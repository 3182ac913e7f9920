package dev.jobs.handover;

import dev.jobs.Internal;
import dev.jobs.JobStoreException;
import dev.jobs.redis.Bytes;
import dev.jobs.redis.RedisConnection;
import dev.jobs.redis.RedisKeys;
import io.lettuce.core.TrackingArgs;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.push.PushMessage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Rings when a queue, the scheduled or retry set, or a key of which a feature wants to hear changes; uses the server's
 * tracking of key changes (RESP3). A ring is only a hint: a proxy may swallow it, so listeners also
 * have to poll. It needs no data of its own, and works for jobs of any producer.
 *
 * <p>The server compares each changed key with every prefix that any client tracks. Therefore no process has a prefix
 * of its own, a process that needs no rings tracks nothing, and one that needs them for many queues tracks all queues
 * and listens for its own.
 *
 * <p>Confined to one thread, except for the listener, which is called on a thread of the connection, and for the
 * methods that say so.
 */
@Internal
public final class Doorbell implements AutoCloseable {

    /** Receives the rings. */
    @FunctionalInterface
    public interface Listener {
        /** @param queue what rang: the name of a queue, or null for the scheduled or retry set, or a limit */
        void rang(@Nullable String queue);

        /** A queue that a gate had shut is open. */
        default void freed(String queue) {}

        /** What else it wants to hear of. */
        default List<Bell> bells() {
            return List.of();
        }
    }

    /**
     * What a feature wants to hear of.
     *
     * @param prefix the beginning of the names of keys
     * @param counts whether it wants to hear of a key with that beginning
     * @param wanted whether it wants to now, called at each check
     * @param rang called at a change of such a key
     */
    public record Bell(String prefix, Predicate<String> counts, BooleanSupplier wanted, Runnable rang) {}

    /**
     * Longer than the time between checks, so that the probe key, which all processes share, doesn't expire: that would
     * ring again.
     */
    private static final long PROBE_MILLIS = 60_000;

    /**
     * More queues than this share one prefix, that of all queues: to compare a key with so many would cost each write
     * on the server more than the messages about other queues.
     */
    static final int EACH_BY_NAME = 100;

    /**
     * What to ring for.
     *
     * @param times whether to ring for the scheduled and retry set
     * @param bells the prefixes of what features want to hear of
     */
    private record Wanted(Set<String> queues, boolean times, Set<String> bells) {

        static final Wanted NOTHING = new Wanted(Set.of(), false, Set.of());

        boolean isNothing() {
            return equals(NOTHING);
        }
    }

    private final RedisConnection connection;
    private final RedisKeys keys;
    private final Supplier<Set<String>> queues;
    private final BooleanSupplier times;
    private final Listener listener;
    private final String queuePrefix;
    private final String orderPrefix;
    private final String bell;
    private final List<Bell> bells;

    private @Nullable StatefulRedisConnection<byte[], byte[]> tracked;

    /** Whether this connection has ever received a ring. */
    private boolean audible;

    private volatile Wanted watched = Wanted.NOTHING;
    private volatile CountDownLatch probe = new CountDownLatch(1);

    /** Whether another process has rung since the last check. */
    private volatile boolean heard;

    /**
     * @param connection used for nothing else
     * @param queues the names of the queues to ring for, called at each check: each ring costs the server a message and
     *     a process a wake-up
     * @param times whether to ring for the scheduled and retry set, called at each check
     */
    public Doorbell(
            RedisConnection connection,
            RedisKeys keys,
            Supplier<Set<String>> queues,
            BooleanSupplier times,
            Listener listener) {
        this.connection = connection;
        this.keys = keys;
        this.queues = queues;
        this.times = times;
        this.listener = listener;
        this.queuePrefix = Bytes.text(keys.queue(""));
        this.orderPrefix = Bytes.text(keys.order(""));
        this.bell = Bytes.text(new HandoverKeys(keys).bell());
        this.bells = listener.bells();
    }

    /** Whether the last check left a connection; without one, nothing is known about what the server supports. */
    public boolean isConnected() {
        return connection.isOpen();
    }

    private Wanted wanted() {
        Set<String> prefixes = bells.stream()
                .filter(each -> each.wanted().getAsBoolean())
                .map(Bell::prefix)
                .collect(Collectors.toUnmodifiableSet());
        return new Wanted(Set.copyOf(queues.get()), times.getAsBoolean(), prefixes);
    }

    /** Whether what to ring for has changed since the last check. Thread-safe. */
    public boolean isOutdated() {
        return !watched.equals(wanted());
    }

    /**
     * Ensures that the bell rings for those queues and can be heard: rings it and waits, unless another process's ring
     * was heard since the last check. Opens a new connection if the ring isn't heard, or if the server refuses writes:
     * a replica reports changes too, but late, and only as long as it follows the primary. After any change, the
     * listener is notified for everything, since changes in between were not reported.
     *
     * @return whether a ring was heard; if there is nothing to ring for, whether this connection has ever received a
     *     ring. False also if the server or a proxy doesn't support tracking
     */
    public boolean check(Duration patience) {
        try {
            StatefulRedisConnection<byte[], byte[]> known = tracked;
            if (known != null && known == connection.connection()) {
                if (isHeard(known, patience)) {
                    return true;
                }
                connection.drop(known);
            }
            StatefulRedisConnection<byte[], byte[]> fresh = connection.connection();
            audible = false;
            heard = false;
            track(wanted());
            fresh.addListener(this::heard);
            tracked = fresh;
            tellOfEverything();
            return ring(patience);
        } catch (JobStoreException e) {
            return false;
        }
    }

    private boolean isHeard(StatefulRedisConnection<byte[], byte[]> known, Duration patience) {
        Wanted now = wanted();
        boolean changed = !now.equals(watched);
        if (changed) {
            connection.run(commands -> commands.clientTracking(TrackingArgs.Builder.enabled(false)));
            if (!now.isNothing()) {
                track(now);
                tellOfEverything();
            }
            watched = now;
        }
        if (heard && !changed || now.isNothing() && audible) {
            heard = false;
            connection.run(
                    commands -> commands.zrem(keys.beats(), Bytes.of(""))); // removes nothing, but a replica refuses it
            return known == connection.connection();
        }
        return ring(patience);
    }

    private void track(Wanted now) {
        List<String> prefixes = new ArrayList<>(List.of(bell));
        if (now.times()) {
            prefixes.addAll(List.of(Bytes.text(keys.schedule()), Bytes.text(keys.retry()), Bytes.text(keys.wake())));
        }
        prefixes.addAll(now.bells());
        addPrefixes(prefixes, queuePrefix, now.queues());
        List<String> ordered = now.queues().stream()
                .filter(queue -> keys.sorted(queue) != null)
                .toList();
        addPrefixes(prefixes, orderPrefix, ordered);
        connection.run(commands -> commands.clientTracking(
                TrackingArgs.Builder.enabled(true).bcast().prefixes(prefixes.toArray(String[]::new))));
        watched = now;
    }

    private static void addPrefixes(List<String> prefixes, String first, Collection<String> queues) {
        if (queues.size() > EACH_BY_NAME) {
            prefixes.add(first);
            return;
        }
        queues.stream()
                .filter(queue -> queues.stream().noneMatch(other -> isBeginning(other, queue)))
                .forEach(queue -> prefixes.add(first + queue));
    }

    private void tellOfEverything() {
        Wanted now = watched;
        now.queues().forEach(listener::rang);
        if (now.times()) {
            listener.rang(null);
        }
        bells.stream().filter(each -> now.bells().contains(each.prefix())).forEach(each -> each.rang()
                .run());
    }

    /** The server refuses prefixes that overlap. */
    private static boolean isBeginning(String other, String queue) {
        return !other.equals(queue) && queue.startsWith(other);
    }

    /** Whether it rings for this queue, by the last check. Thread-safe. */
    public boolean ringsFor(String queue) {
        return watched.queues().contains(queue);
    }

    private boolean ring(Duration patience) {
        CountDownLatch rung = new CountDownLatch(1);
        probe = rung;
        connection.run(commands -> commands.psetex(Bytes.of(bell), PROBE_MILLIS, Bytes.of(1)));
        try {
            audible = rung.await(patience.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
        heard = false;
        if (audible && watched.isNothing()) {
            connection.run(commands -> commands.clientTracking(TrackingArgs.Builder.enabled(false)));
        }
        return audible;
    }

    private void heard(PushMessage message) {
        if (!"invalidate".equals(message.getType())) {
            return;
        }
        List<Object> content = message.getContent();
        if (content.size() > 1 && content.get(1) instanceof List<?> changed) {
            for (Object key : changed) {
                heard(key instanceof byte[] bytes ? Bytes.text(bytes) : decode(key));
            }
        }
    }

    private static String decode(@Nullable Object key) {
        if (key instanceof java.nio.ByteBuffer buffer) {
            return java.nio.charset.StandardCharsets.UTF_8
                    .decode(buffer.duplicate())
                    .toString();
        }
        return String.valueOf(key);
    }

    private void heard(String key) {
        if (key.startsWith(queuePrefix)) {
            heardQueue(key.substring(queuePrefix.length()));
        } else if (key.startsWith(orderPrefix)) {
            heardQueue(key.substring(orderPrefix.length()));
        } else if (key.equals(bell)) {
            heard = true;
            probe.countDown();
        } else if (key.startsWith(bell)) {
            listener.freed(key.substring(bell.length() + 1));
        } else {
            heardOther(key);
        }
    }

    private void heardOther(String key) {
        for (Bell each : bells) {
            if (key.startsWith(each.prefix())) {
                if (each.counts().test(key)) {
                    each.rang().run();
                }
                return;
            }
        }
        listener.rang(null);
    }

    /** A prefix may cover queues for which nobody asked. */
    private void heardQueue(String queue) {
        if (ringsFor(queue)) {
            listener.rang(queue);
        }
    }

    @Override
    public void close() {
        connection.close();
    }
}
