package dev.jobs.spring.autoconfigure;

import dev.jobs.client.RedisJobClient;
import java.security.SecureRandom;
import java.util.random.RandomGenerator;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.SmartLifecycle;

/**
 * Takes ids that no other process has, each time the context starts: several processes may be restored from one checkpoint, and all that was in
 * memory is the same in each of them. That goes for some generators of random numbers, too, so ours gets more from the system.
 */
final class FreshIds implements SmartLifecycle {

    private static final int SEED_BYTES = 32;

    private final ObjectProvider<RedisJobClient> clients;
    private final RandomGenerator random;

    private volatile boolean running;

    FreshIds(ObjectProvider<RedisJobClient> clients, RandomGenerator random) {
        this.clients = clients;
        this.random = random;
    }

    @Override
    public void start() {
        if (random instanceof SecureRandom secure) {
            byte[] seed = new byte[SEED_BYTES];
            new SecureRandom().nextBytes(seed); // a new one asks the system, so no clone has its state
            secure.setSeed(seed);
        }
        clients.forEach(RedisJobClient::renewId);
        running = true;
    }

    @Override
    public void stop() {
        running = false;
    }

    @Override
    public boolean isRunning() {
        return running;
    }

    /** Before all that may enqueue a job or start to work. */
    @Override
    public int getPhase() {
        return Integer.MIN_VALUE;
    }
}
