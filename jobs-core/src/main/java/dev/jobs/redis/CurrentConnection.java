package dev.jobs.redis;

import dev.jobs.JobStoreException;
import dev.jobs.JobStoreException.Kind;
import io.lettuce.core.RedisException;
import io.lettuce.core.api.StatefulRedisConnection;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * The open connection of one name. The first caller that needs it opens it for all; the next use opens another after it
 * was lost or dropped. Thread-safe.
 */
final class CurrentConnection implements AutoCloseable {

    /** Opens and closes connections. */
    interface Opener {

        /** Waits for the connection. */
        StatefulRedisConnection<byte[], byte[]> open();

        /** Closes what belongs to a connection, which its client may have closed already. May be repeated. */
        CompletableFuture<Void> close(StatefulRedisConnection<byte[], byte[]> connection);

        /** Runs a short task after a delay. Returns what cancels it. */
        Runnable later(Duration delay, Runnable task);
    }

    /**
     * Lettuce ends an attempt by its timeouts for connecting and for the handshake, a minute by default. An attempt
     * that it forgets would keep all callers from connecting.
     */
    private static final Duration LONGEST_ATTEMPT = Duration.ofSeconds(90);

    /** How often to connect at most until the server's reason for refusing is known. */
    private static final int ATTEMPTS = 3;

    /** An attempt loads classes before it connects, if it is the first: for seconds on a fraction of a core. */
    private static final Duration LOADING = Duration.ofSeconds(5);

    private static final long CLOSE_MILLIS = 1_000;
    /** Time for an attempt to connect to end after the connection was closed. */
    private static final long LAST_ATTEMPT_MILLIS = 250;

    private final String name;
    private final Opener opener;
    private final Duration timeout;
    private final ConnectErrors errors;
    private final Runnable opened;
    private final Duration longestAttempt;
    private final Duration loading;

    /** Guards opening and closing; never held while a command runs. */
    private final Object lock = new Object();

    private volatile @Nullable StatefulRedisConnection<byte[], byte[]> open;

    /**
     * Whether the server knows our name. Each connection has to set it anew, and a server busy with a script doesn't
     * process it.
     */
    private volatile boolean named = true;

    /** The result of the attempt to connect, for all callers; null if there is no attempt. */
    private @Nullable CompletableFuture<StatefulRedisConnection<byte[], byte[]>> opening;

    /**
     * The thread that connects. Guarded by the lock, like its interruption, so that no other work of the thread is
     * interrupted.
     */
    private @Nullable Thread connecting;

    private long connectingSince;

    private boolean gaveUp;

    /** Whether an attempt to connect has ended. */
    private volatile boolean tried;

    private volatile boolean closed;

    /**
     * @param opener opens connections to the node that has the jobs
     * @param server described in the messages of failed attempts
     * @param opened called after each opening, before the connection is used
     */
    CurrentConnection(String name, Opener opener, RedisServer server, Duration timeout, Runnable opened) {
        this(name, opener, server, timeout, opened, LONGEST_ATTEMPT, LOADING);
    }

    /**
     * @param longestAttempt after which an attempt to connect is given up that has not ended by itself
     * @param loading how much longer callers wait for the first one of another thread
     */
    CurrentConnection(
            String name,
            Opener opener,
            RedisServer server,
            Duration timeout,
            Runnable opened,
            Duration longestAttempt,
            Duration loading) {
        this.name = name;
        this.opener = opener;
        this.timeout = timeout;
        this.errors = new ConnectErrors(server, timeout);
        this.opened = opened;
        this.longestAttempt = longestAttempt;
        this.loading = loading;
    }

    /** The connection that was opened last, even if it is lost; null if there is none. */
    @Nullable StatefulRedisConnection<byte[], byte[]> known() {
        return open;
    }

    /** The open connection; null if there is none, or it is lost. */
    @Nullable StatefulRedisConnection<byte[], byte[]> usable() {
        StatefulRedisConnection<byte[], byte[]> current = open;
        return current != null && isUsable(current) ? current : null;
    }

    /** Whether the server knows the connection's name. */
    boolean isNamed() {
        return named;
    }

    boolean isClosed() {
        return closed;
    }

    /** The connection, opened if necessary. */
    StatefulRedisConnection<byte[], byte[]> get() {
        StatefulRedisConnection<byte[], byte[]> current = usable();
        if (current != null) {
            return current;
        }
        CompletableFuture<StatefulRedisConnection<byte[], byte[]>> attempt;
        boolean mine;
        synchronized (lock) {
            if (closed) {
                throw wasClosed();
            }
            current = usable();
            if (current != null) {
                return current;
            }
            mine = opening == null;
            if (opening == null) {
                opening = new CompletableFuture<>();
                connecting = Thread.currentThread();
                connectingSince = System.nanoTime();
            }
            attempt = opening;
        }
        return mine ? connect(attempt) : awaitOpening(attempt);
    }

    /** One caller connects for all; otherwise a hundred callers would wait for a hundred failures in a row. */
    private StatefulRedisConnection<byte[], byte[]> connect(
            CompletableFuture<StatefulRedisConnection<byte[], byte[]>> attempt) {
        JobStoreException failure = wasClosed();
        Runnable cancelLimit = () -> {};
        try {
            cancelLimit = limit(attempt);
            StatefulRedisConnection<byte[], byte[]> connected = connect();
            StatefulRedisConnection<byte[], byte[]> gone;
            opened.run();
            synchronized (lock) {
                gone = closed ? connected : open;
                open = closed ? null : connected;
            }
            if (gone != null) {
                opener.close(gone); // its client would keep it
            }
            if (gone != connected) {
                attempt.complete(connected);
                return connected;
            }
        } catch (JobStoreException e) {
            failure = attempt.isDone() && !closed ? errors.tooLong() : e;
        } finally {
            cancelLimit.run();
            tried = true;
            synchronized (lock) {
                opening = null;
                connecting = null;
                if (gaveUp) {
                    gaveUp = false;
                    Thread.interrupted(); // the interruption was meant for the attempt
                }
            }
            attempt.completeExceptionally(failure);
        }
        throw failure;
    }

    /** Has an attempt given up that takes too long. Returns what calls that off. */
    private Runnable limit(CompletableFuture<StatefulRedisConnection<byte[], byte[]>> attempt) {
        try {
            return opener.later(longestAttempt, () -> {
                attempt.completeExceptionally(errors.tooLong());
                giveUp(attempt);
            });
        } catch (RuntimeException e) {
            throw errors.translate(RedisErrors.cause(e));
        }
    }

    private StatefulRedisConnection<byte[], byte[]> awaitOpening(
            CompletableFuture<StatefulRedisConnection<byte[], byte[]>> attempt) {
        Duration atMost = tried ? timeout : timeout.plus(loading);
        try {
            return attempt.get(atMost.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new JobStoreException(Kind.UNREACHABLE, "Interrupted while waiting for a connection to Redis", null);
        } catch (TimeoutException e) {
            giveUpIfTooLong(attempt);
            throw errors.tooLong();
        } catch (ExecutionException e) {
            JobStoreException failure = errors.translate(RedisErrors.cause(e));
            if (failure instanceof NoClientException) {
                throw new NoClientException(String.valueOf(failure.getMessage()));
            }
            throw new JobStoreException(failure.kind(), String.valueOf(failure.getMessage()), failure.getCause());
        }
    }

    /** The client's timer may have been shut down with the client. */
    private void giveUpIfTooLong(CompletableFuture<StatefulRedisConnection<byte[], byte[]>> attempt) {
        synchronized (lock) {
            if (System.nanoTime() - connectingSince >= longestAttempt.toNanos()) {
                giveUp(attempt);
            }
        }
    }

    private JobStoreException wasClosed() {
        return new JobStoreException(Kind.UNREACHABLE, "The connection '" + name + "' was closed", null);
    }

    /** Whether it is neither lost nor closed with its client, as when the application pauses. */
    private static boolean isUsable(StatefulRedisConnection<byte[], byte[]> connection) {
        return !ClusterNodes.isClosed(connection) && connection.isOpen();
    }

    /**
     * Connects. Repeats an attempt that failed without the server's reason, which the message of the failure needs:
     * Lettuce loses the reason if the server closes the connection at once.
     */
    private StatefulRedisConnection<byte[], byte[]> connect() {
        long begin = System.nanoTime();
        for (int attempt = 1; ; attempt++) {
            try {
                StatefulRedisConnection<byte[], byte[]> connection = opener.open();
                sendName(connection);
                connection.setTimeout(timeout);
                return connection;
            } catch (RuntimeException e) {
                Throwable cause = RedisErrors.cause(e);
                boolean inTime = System.nanoTime() - begin < timeout.toNanos();
                if (attempt == ATTEMPTS || closed || !inTime || !ConnectErrors.mayLackReason(cause)) {
                    throw errors.translate(cause);
                }
            }
        }
    }

    /** Sends our name to the server, and doesn't wait for the answer. */
    void sendName(StatefulRedisConnection<byte[], byte[]> connection) {
        named = false;
        connection.async().clientSetname(Bytes.of(name)).thenRun(() -> named = true);
    }

    /** Closes this connection, if it is still the current one, so that the next command opens another. */
    void drop(StatefulRedisConnection<byte[], byte[]> broken) {
        synchronized (lock) {
            if (open == broken) {
                open = null;
            }
        }
        opener.close(broken);
    }

    /**
     * Lets the next command open another connection, and closes this one once it has answered what was sent on it: its
     * server answers, so no caller has to be left in doubt.
     */
    void retire(StatefulRedisConnection<byte[], byte[]> answering) {
        synchronized (lock) {
            if (open != answering) {
                return;
            }
            open = null;
        }
        try {
            // completes within the command timeout, which is the client's
            answering.async().ping().whenComplete((pong, failure) -> opener.close(answering));
        } catch (RedisException e) {
            opener.close(answering); // its client has closed it meanwhile
        }
    }

    @Override
    public void close() {
        StatefulRedisConnection<byte[], byte[]> last;
        CompletableFuture<StatefulRedisConnection<byte[], byte[]>> attempt;
        synchronized (lock) {
            closed = true;
            last = open;
            open = null;
            attempt = opening;
        }
        if (last != null) {
            await(
                    opener.close(last),
                    CLOSE_MILLIS); // a client that shuts down in the meantime would close it again and log an error
        }
        if (attempt != null) {
            await(attempt, LAST_ATTEMPT_MILLIS);
            giveUp(attempt);
        }
    }

    /**
     * Interrupts the thread that connects. A client that is shut down meanwhile never completes the attempt, so the
     * thread would wait forever.
     */
    private void giveUp(CompletableFuture<StatefulRedisConnection<byte[], byte[]>> attempt) {
        synchronized (lock) {
            if (opening == attempt && connecting != null) {
                gaveUp = true;
                connecting.interrupt();
            }
        }
    }

    private static void await(CompletableFuture<?> end, long millis) {
        try {
            end.get(millis, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException | TimeoutException e) {
            // the connection is given up either way
        }
    }
}
