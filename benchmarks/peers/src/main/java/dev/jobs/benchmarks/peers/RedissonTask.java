package dev.jobs.benchmarks.peers;

import dev.jobs.benchmarks.driver.Arguments;
import dev.jobs.benchmarks.driver.Tally;
import java.io.Serializable;

/** A job in Redisson's form: an object that is sent with its class. */
final class RedissonTask implements Runnable, Serializable {

    private static final long serialVersionUID = 1;
    private final Arguments arguments;
    private transient Tally tally;

    RedissonTask(Arguments arguments) {
        this.arguments = arguments;
    }

    void countIn(Tally tally) {
        this.tally = tally;
    }

    @Override
    public void run() {
        tally.ran(arguments.number());
    }
}
