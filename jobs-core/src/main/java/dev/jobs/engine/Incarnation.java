package dev.jobs.engine;

import dev.jobs.redis.ProcessLeases.Timing;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.HexFormat;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** One life of a process: an identity that is never used again, and how fresh its lease is. Thread-safe. */
final class Incarnation {

    private final String id;
    private final long freshNanos;
    private final long leaseNanos;
    private final LongSupplier nanoTime;

    /** When the last beat was sent that got an answer. */
    private volatile long beaten;

    private volatile boolean registered;
    private volatile boolean lost;

    Incarnation(String id, Timing timing, LongSupplier nanoTime) {
        this.id = id;
        this.freshNanos = timing.fresh().toNanos();
        this.leaseNanos = timing.lease().toNanos();
        this.nanoTime = nanoTime;
    }

    String id() {
        return id;
    }

    boolean isRegistered() {
        return registered;
    }

    /** @param sent when the beat was sent, since nobody knows how long its answer took */
    void beaten(long sent) {
        beaten = sent;
        registered = true;
    }

    /** The server gave this life up. */
    void lose() {
        lost = true;
    }

    boolean isLost() {
        return lost;
    }

    /** Whether a job may be claimed or started: its lease can't run out soon. */
    boolean isFresh() {
        return registered && !lost && nanoTime.getAsLong() - beaten < freshNanos;
    }

    /** Whether the lease has not run out, as far as this process can know. */
    boolean holdsLease() {
        return registered && !lost && nanoTime.getAsLong() - beaten < leaseNanos;
    }

    /** When the last beat was sent that got an answer, by the clock that this life was made with. */
    long lastBeat() {
        return beaten;
    }

    /** Where this JVM runs, as it stands in identities: {@code host:pid:nonce}. */
    record Host(String name, long pid) {

        private static final int NONCE_BYTES = 6;

        /** This host, named as Sidekiq would. */
        static Host current() {
            return new Host(name(System.getenv("DYNO")), ProcessHandle.current().pid());
        }

        /** @param dyno what the platform calls this machine, if it calls it anything */
        static String name(@Nullable String dyno) {
            if (dyno != null && !dyno.isEmpty()) {
                return dyno;
            }
            try {
                return InetAddress.getLocalHost().getHostName();
            } catch (UnknownHostException e) {
                return "localhost";
            }
        }

        /** An identity that was never used before. */
        String newIdentity(RandomGenerator random) {
            byte[] nonce = new byte[NONCE_BYTES];
            random.nextBytes(nonce);
            return name + ":" + pid + ":" + HexFormat.of().formatHex(nonce);
        }
    }
}
