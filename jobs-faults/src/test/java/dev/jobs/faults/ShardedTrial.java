package dev.jobs.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** A trial for each of several shards, which are served by the same workers. */
final class ShardedTrial implements AutoCloseable {

    private final String uris;
    private final List<Trial> shards = new ArrayList<>();

    /** @param uris the addresses of the shards' Redis */
    ShardedTrial(String scenario, List<String> uris, Duration producerTimeout) {
        this.uris = String.join(" ", uris);
        Path directory = Trial.directory(scenario);
        for (int i = 0; i < uris.size(); i++) {
            shards.add(new Trial(scenario + "-" + i, uris.get(i), uris.get(i), producerTimeout, directory));
        }
    }

    Trial shard(int index) {
        return shards.get(index);
    }

    /** Starts workers that serve all shards, and returns when all of them are at work. */
    List<Worker> startAll(int count) {
        List<Worker> started = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            started.add(start(WorkerSettings.of(uris, Load.QUEUES)));
        }
        shards.forEach(Trial::awaitAllRegistered);
        shards.forEach(Trial::takeBaseline);
        return started;
    }

    private Worker start(WorkerSettings settings) {
        Worker worker = shards.get(0).start(settings);
        shards.stream().skip(1).forEach(trial -> trial.join(worker));
        return worker;
    }

    /** Replaces a worker that is gone. */
    void replace(Worker gone) {
        start(gone.settings);
    }

    /** Waits until so many more jobs of a shard have begun. */
    void awaitProgress(int shard, int jobs) {
        Trial trial = shards.get(shard);
        long before = trial.begun();
        await("jobs of shard " + shard)
                .untilAsserted(() -> assertThat(trial.begun()).isGreaterThanOrEqualTo(before + jobs));
    }

    /** How many jobs of a shard begin within this time. */
    long begunWithin(Duration time, int shard) {
        long before = shards.get(shard).begun();
        Trial.letPass(time);
        return shards.get(shard).begun() - before;
    }

    /** Waits until all jobs are done and judges each shard: no job may be lost. */
    List<Verdict> end() {
        List<Verdict> verdicts = new ArrayList<>();
        for (Trial each : shards) {
            Verdict verdict = each.end();
            each.assertSound(verdict);
            verdicts.add(verdict);
        }
        return verdicts;
    }

    @Override
    public void close() {
        shards.forEach(Trial::close);
    }
}
