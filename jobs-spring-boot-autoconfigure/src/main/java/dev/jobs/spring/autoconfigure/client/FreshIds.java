package dev.jobs.spring.autoconfigure.client;

import dev.jobs.Internal;
import dev.jobs.assembly.RedisJobClient;
import java.security.SecureRandom;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;
import org.springframework.context.SmartLifecycle;

/**
 * Makes ids unique to this process each time the context starts: several processes may be restored from one checkpoint
 * with identical memory. That includes some random generators, so ours gets an additional seed from the system.
 */
@Internal
public final class FreshIds implements SmartLifecycle {

    private static final int SEED_BYTES = 32;

    private final Supplier<Stream<RedisJobClient>> clients;
    private final RandomGenerator random;

    private volatile boolean running;

    public FreshIds(Supplier<Stream<RedisJobClient>> clients, RandomGenerator random) {
        this.clients = clients;
        this.random = random;
    }

    @Override
    public void start() {
        if (random instanceof SecureRandom secure) {
            byte[] seed = new byte[SEED_BYTES];
            new SecureRandom().nextBytes(seed); // a new instance is seeded by the system, so no clone shares its state
            secure.setSeed(seed);
        }
        clients.get().forEach(RedisJobClient::renewId);
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

    /** Runs before anything that may enqueue a job or start working. */
    @Override
    public int getPhase() {
        return Integer.MIN_VALUE;
    }
}
