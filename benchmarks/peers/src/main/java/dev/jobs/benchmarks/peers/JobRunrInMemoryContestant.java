package dev.jobs.benchmarks.peers;

import java.time.Duration;
import org.jobrunr.storage.InMemoryStorageProvider;

/**
 * JobRunr on the store in memory, which nothing outlives and no other process sees. It allows the shortest poll interval of all stores.
 * It sorts all jobs each time workers look for some, so that the more wait the slower each of them is.
 */
final class JobRunrInMemoryContestant extends JobRunrContestant {

    JobRunrInMemoryContestant(String redisUri) {
        super(Duration.ofMillis(200));
        use(new InMemoryStorageProvider());
    }

    @Override
    public void clear() throws Exception {
        super.close();
        use(new InMemoryStorageProvider());
    }
}
