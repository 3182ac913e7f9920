package dev.jobs.benchmarks.peers;

import java.time.Duration;
import org.jobrunr.storage.InMemoryStorageProvider;

/**
 * JobRunr on its in-memory store, whose jobs end with the process and are invisible to others. It allows the shortest
 * poll interval of all stores. It sorts all jobs each time workers look for some, so each job is slower the more jobs
 * wait.
 */
final class JobRunrInMemoryDriver extends JobRunrDriver {

    JobRunrInMemoryDriver(String redisUri) {
        super(Duration.ofMillis(200));
        use(new InMemoryStorageProvider());
    }

    @Override
    public void clear() throws Exception {
        super.close();
        use(new InMemoryStorageProvider());
    }
}
