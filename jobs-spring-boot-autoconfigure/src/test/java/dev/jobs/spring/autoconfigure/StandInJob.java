package dev.jobs.spring.autoconfigure;

import dev.jobs.JobContext;
import dev.jobs.Payload;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

/** A stand-in for a running job; without a name it stands for a claimed entry that is not a job. */
public final class StandInJob implements JobContext {

    private final String name;
    private final String queue;
    private final AtomicInteger payloads = new AtomicInteger();

    public StandInJob(String name, String queue) {
        this.name = name;
        this.queue = queue;
    }

    @Override
    public String jid() {
        return "1";
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public String queue() {
        return queue;
    }

    @Override
    public Payload payload() {
        if (name.isEmpty()) {
            throw new IllegalStateException("no job");
        }
        payloads.incrementAndGet();
        return Payload.of(Map.of("class", name));
    }

    /** How often its payload was read. */
    public int payloads() {
        return payloads.get();
    }

    @Override
    public int attempt() {
        return 1;
    }

    @Override
    public int recoveries() {
        return 0;
    }

    @Override
    public boolean isStopping() {
        return false;
    }

    @Override
    public boolean holdsLease() {
        return true;
    }
}
