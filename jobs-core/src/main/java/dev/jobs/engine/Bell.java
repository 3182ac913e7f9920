package dev.jobs.engine;

import dev.jobs.redis.OnCallRoster.Load;
import java.time.Duration;

/** Rings for pushes where no claim stands, while this process is on call. Thread-safe. */
interface Bell {

    boolean ringsFor(String queue);

    /** Other queues are to be rung for than before. */
    void change();

    /** Whether it is on call: only then a claim stands, or anything rings. */
    boolean isOnCall();

    /** Whether it is on call and, if others could take its place, not full for longer than a moment. */
    boolean isListening();

    /** How often to look on average while it isn't on call. */
    Duration pollInterval();

    /** What the capsule has to do now. */
    void loaded(Load load);
}
