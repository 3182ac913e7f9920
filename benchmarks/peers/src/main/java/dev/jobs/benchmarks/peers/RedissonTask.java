package dev.jobs.benchmarks.peers;

import dev.jobs.benchmarks.driver.Tally;
import java.io.Serializable;

/** A job in Redisson's form: an object that is sent with its class. */
final class RedissonTask implements Runnable, Serializable {

    private static final long serialVersionUID = 1;
    private static final long NONE = -1;

    private final long id;
    private transient Tally tally;

    RedissonTask() {
        this(NONE);
    }

    RedissonTask(long id) {
        this.id = id;
    }

    void countIn(Tally tally) {
        this.tally = tally;
    }

    @Override
    public void run() {
        if (id == NONE) {
            tally.ran();
        } else {
            tally.ran(id);
        }
    }
}
