package dev.jobs.faults;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Limits the bytes per second of all streams together. Thread-safe. */
final class Throttle {

    private static final int PIECE = 16 * 1_024;

    private volatile long bytesPerSecond;

    /** When the next byte may pass. */
    private long free = System.nanoTime();

    /** @param now bytes per second; 0 for any number */
    void limit(long now) {
        bytesPerSecond = now;
    }

    /** Throttles reads from a stream. Its other end can send no more than these plus the system's buffers. */
    InputStream through(InputStream in) {
        return new FilterInputStream(in) {
            @Override
            public int read() throws IOException {
                int read = super.read();
                pass(read < 0 ? 0 : 1);
                return read;
            }

            @Override
            public int read(byte[] bytes, int from, int most) throws IOException {
                int read = super.read(bytes, from, Math.min(most, PIECE));
                pass(Math.max(0, read));
                return read;
            }
        };
    }

    private void pass(int bytes) {
        long limit = bytesPerSecond;
        if (limit == 0) {
            return;
        }
        long until;
        synchronized (this) {
            free = Math.max(free, System.nanoTime()) + TimeUnit.SECONDS.toNanos(bytes) / limit;
            until = free;
        }
        for (long left = until - System.nanoTime(); left > 0; left = until - System.nanoTime()) {
            LockSupport.parkNanos(left);
        }
    }
}
