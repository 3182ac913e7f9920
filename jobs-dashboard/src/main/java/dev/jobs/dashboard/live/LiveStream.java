package dev.jobs.dashboard.live;

import dev.jobs.Internal;
import dev.jobs.dashboard.web.Problem;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * The pages that get live numbers, as server-sent events. Each event goes to all of them; a slow page skips the events
 * that come while it still receives one, so it doesn't delay the others. A stream ends after a while and the browser
 * reopens it, which checks the viewer's access again. Thread-safe.
 */
@Internal
public final class LiveStream {

    public static final Duration LIFE = Duration.ofMinutes(5);

    /** A page at the other end of a stream. */
    public interface Viewer {

        /** Sends an event, unless the page still receives one. Doesn't wait for it. */
        void send(byte[] frame);

        /** Ends the stream. */
        void end();
    }

    private final Semaphore free;
    private final Set<Subscription> taken = ConcurrentHashMap.newKeySet();
    private volatile boolean open;

    public LiveStream(int maxViewers) {
        this(new Semaphore(maxViewers));
    }

    private LiveStream(Semaphore free) {
        this.free = free;
    }

    /** A stream of other numbers, whose viewers count with those of this one. */
    public LiveStream beside() {
        return new LiveStream(free);
    }

    /**
     * Takes on one viewer.
     *
     * @throws Problem if as many viewers as allowed are there, or the stream is not open
     */
    public Subscription take() {
        if (!open || !free.tryAcquire()) {
            throw new Problem(503, "busy", "The maximum number of pages gets live numbers already; poll instead");
        }
        return new Subscription();
    }

    public boolean hasViewers() {
        return !taken.isEmpty();
    }

    /** Sends an event to every viewer that has received the previous one. */
    public void send(byte[] frame) {
        taken.forEach(subscription -> subscription.send(frame));
    }

    public void start() {
        open = true;
    }

    /** Ends all streams and accepts no more: a stopping server waits for all its requests. */
    public void stop() {
        open = false;
        taken.forEach(Subscription::end);
    }

    /** The subscription of one viewer, from before its stream begins until after it has ended. */
    public final class Subscription {

        private final AtomicBoolean left = new AtomicBoolean();
        private volatile @Nullable Viewer viewer;

        private Subscription() {}

        /** Lets the viewer receive all events from now on, this one first. */
        public void begin(Viewer arrived, byte[] first) {
            viewer = arrived;
            taken.add(this);
            if (left.get()) {
                taken.remove(this); // the viewer was faster
                return;
            }
            arrived.send(first);
            if (!open) {
                arrived.end(); // stopped in the meantime
            }
        }

        /** Makes room for another viewer; returns whether this is the first call. */
        public boolean leave() {
            boolean first = left.compareAndSet(false, true);
            if (first) {
                taken.remove(this);
                free.release();
            }
            return first;
        }

        private void send(byte[] frame) {
            Viewer present = viewer;
            if (present != null) {
                present.send(frame);
            }
        }

        private void end() {
            Viewer present = viewer;
            if (present != null) {
                present.end();
            }
        }
    }
}
