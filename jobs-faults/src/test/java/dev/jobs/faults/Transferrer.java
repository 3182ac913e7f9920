package dev.jobs.faults;

import dev.jobs.JobStoreException;
import dev.jobs.redis.RedisConnections;
import dev.jobs.shards.QueueTransfer;
import dev.jobs.shards.QueueTransfer.Shard;
import dev.jobs.shards.TransferOptions;
import dev.jobs.shards.TransferReport;
import io.lettuce.core.AbstractRedisClient;
import io.lettuce.core.resource.DefaultClientResources;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** The program that transfers the queue of the storm, beginning where an earlier one was killed. */
final class Transferrer {

    /** What it says at the end, before the number of jobs that the target has stored. */
    static final String FINISHED = "Finished: ";

    private static final Duration STEP = Duration.ofSeconds(1);
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    private final WorkerSettings settings;
    private final Path enough;

    /** @param enough the file that says that no more jobs come to the source */
    Transferrer(WorkerSettings settings, Path enough) {
        this.settings = settings;
        this.enough = enough;
    }

    void run() {
        String[] uris = settings.uri().split(" ");
        try (QueueTransfer transfer = new QueueTransfer(
                shard("source", uris[0]), shard("target", uris[1]), TransferStorm.QUEUE, TransferOptions.standard())) {
            System.out.println(WorkerMain.STARTS);
            while (true) {
                step(transfer);
                LockSupport.parkNanos(PAUSE_NANOS);
            }
        }
    }

    private void step(QueueTransfer transfer) {
        try {
            boolean last = Files.exists(enough);
            TransferReport report = transfer.run(STEP);
            if (last && report.isEmpty()) {
                System.out.println(FINISHED + transfer.finish().movedJobs());
                Runtime.getRuntime().halt(0);
            }
        } catch (JobStoreException e) {
            System.out.println(e.getMessage());
        }
    }

    private Shard shard(String name, String uri) {
        RedisAddress address = new RedisAddress(uri);
        AbstractRedisClient client =
                address.client(RedisConnections.resources(DefaultClientResources.create()), settings.commandTimeout());
        return new Shard(
                name, new RedisConnections(() -> client, address.keys(), settings.commandTimeout()), "default");
    }
}
