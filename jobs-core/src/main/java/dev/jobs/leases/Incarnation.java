package dev.jobs.leases;

import dev.jobs.Internal;
import dev.jobs.leases.ProcessLeases.Timing;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.HexFormat;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** One life of a process: an identity that is never reused, and the freshness of its lease. Thread-safe. */
@Internal
public final class Incarnation {

    private final String id;
    private final long freshNanos;
    private final long leaseNanos;
    private final LongSupplier nanoTime;

    /** When the last answered beat was sent. */
    private volatile long beaten;

    private volatile boolean registered;
    private volatile boolean lost;

    public Incarnation(String id, Timing timing, LongSupplier nanoTime) {
        this.id = id;
        this.freshNanos = timing.fresh().toNanos();
        this.leaseNanos = timing.lease().toNanos();
        this.nanoTime = nanoTime;
    }

    public String id() {
        return id;
    }

    public boolean isRegistered() {
        return registered;
    }

    /** @param sent when the beat was sent: the lease counts from then, as the time of its arrival is unknown */
    public void beaten(long sent) {
        beaten = sent;
        registered = true;
    }

    /** Redis no longer knows this incarnation. */
    void lose() {
        lost = true;
    }

    public boolean isLost() {
        return lost;
    }

    /** Whether jobs may be claimed or started, because the lease can't run out soon. */
    public boolean isFresh() {
        return registered && !lost && nanoTime.getAsLong() - beaten < freshNanos;
    }

    /** Whether the lease has not run out, as far as this process knows. */
    public boolean holdsLease() {
        return registered && !lost && nanoTime.getAsLong() - beaten < leaseNanos;
    }

    /** When the last answered beat was sent, on the clock given to the constructor. */
    public long lastBeat() {
        return beaten;
    }

    /** The host and process of this JVM, the first two parts of its identities: {@code host:pid:nonce}. */
    public record Host(String name, long pid) {

        private static final int NONCE_BYTES = 6;

        /** The current host, named as in Sidekiq. */
        public static Host current() {
            return new Host(name(System.getenv("DYNO")), ProcessHandle.current().pid());
        }

        /** @param dyno the name that the platform gave this machine, if any */
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

        /** Returns an identity that was never used before. */
        public String newIdentity(RandomGenerator random) {
            byte[] nonce = new byte[NONCE_BYTES];
            random.nextBytes(nonce);
            return name + ":" + pid + ":" + HexFormat.of().formatHex(nonce);
        }
    }
}
