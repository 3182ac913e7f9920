package dev.jobs.faults;

import dev.jobs.assembly.EngineConfig;
import dev.jobs.engine.CapsuleConfig;
import dev.jobs.store.DeadSetBounds;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * The settings of a worker process.
 *
 * @param program the program that it runs
 * @param uri the address of Redis, or those of several shards with a space between them; of a transfer that of the
 *     source, then that of the target
 * @param capsules each as {@code name/concurrency/queue queue …}, the queues in Sidekiq's syntax
 * @param clockOffset how far its clock is off
 */
record WorkerSettings(
        Program program,
        String uri,
        List<String> capsules,
        Duration lease,
        Duration shutdownTimeout,
        Duration commandTimeout,
        Duration clockOffset) {

    /** The program of a worker process. */
    enum Program {
        /** The engine under test. */
        ENGINE,
        /** The same, with effects that count what becomes of each job. */
        ENGINE_WITH_EFFECTS,
        /** The engine with listeners and handlers that throw errors. */
        ENGINE_WITH_THROWING_HOOKS,
        /** The engine with the first version of an application that is being deployed. */
        VERSION_ONE,
        /** The engine with its second version. */
        VERSION_TWO,
        /** The engine, and jobs that add to their batches. */
        ENGINE_WITH_BATCHES,
        /** No worker: fills batches. */
        BATCH_FILLER,
        /** No worker: cancels a batch. */
        BATCH_CANCELLER,
        /** No worker: transfers a queue to another Redis. */
        TRANSFER,
        /** A common first implementation, for comparison: a loop around BRPOP. */
        PLAIN
    }

    /** Of every worker, in every dose: so long that a busy machine doesn't keep a worker from its beats. */
    static final Duration LEASE = Duration.ofSeconds(6);

    /** For a fault that outlasts a lease. */
    static final Duration LONGER_THAN_A_LEASE = LEASE.plusSeconds(2);

    WorkerSettings {
        capsules = List.copyOf(capsules);
    }

    /** The engine with ten jobs at once from these queues and a second to stop. */
    static WorkerSettings of(String uri, String... queues) {
        return new WorkerSettings(
                Program.ENGINE,
                uri,
                List.of("default/10/" + String.join(" ", queues)),
                LEASE,
                Duration.ofSeconds(1),
                Duration.ofSeconds(2),
                Duration.ZERO);
    }

    WorkerSettings withProgram(Program other) {
        return new WorkerSettings(other, uri, capsules, lease, shutdownTimeout, commandTimeout, clockOffset);
    }

    WorkerSettings withUri(String other) {
        return new WorkerSettings(program, other, capsules, lease, shutdownTimeout, commandTimeout, clockOffset);
    }

    WorkerSettings withCapsules(String... others) {
        return new WorkerSettings(program, uri, List.of(others), lease, shutdownTimeout, commandTimeout, clockOffset);
    }

    WorkerSettings withShutdownTimeout(Duration other) {
        return new WorkerSettings(program, uri, capsules, lease, other, commandTimeout, clockOffset);
    }

    WorkerSettings withCommandTimeout(Duration other) {
        return new WorkerSettings(program, uri, capsules, lease, shutdownTimeout, other, clockOffset);
    }

    WorkerSettings withClockOffset(Duration other) {
        return new WorkerSettings(program, uri, capsules, lease, shutdownTimeout, commandTimeout, other);
    }

    /** The addresses of all shards that it serves. */
    List<String> shards() {
        return List.of(uri.split(" "));
    }

    List<CapsuleConfig> capsuleConfigs() {
        List<CapsuleConfig> configs = new ArrayList<>();
        for (String capsule : capsules) {
            String[] parts = capsule.split("/");
            configs.add(CapsuleConfig.of(parts[0], Integer.parseInt(parts[1]), List.of(parts[2].split(" "))));
        }
        return configs;
    }

    int concurrency() {
        return capsuleConfigs().stream().mapToInt(CapsuleConfig::concurrency).sum();
    }

    List<String> queues() {
        return capsuleConfigs().stream()
                .flatMap(capsule -> capsule.queues().stream())
                .distinct()
                .toList();
    }

    EngineConfig engineConfig() {
        return EngineConfig.of(capsuleConfigs()).with(values -> {
            values.shutdownTimeout = shutdownTimeout;
            values.lease = lease;
            values.pollInterval = Duration.ofSeconds(1);
            values.dead = new DeadSetBounds(1_000_000, Duration.ofDays(180));
        });
    }

    List<String> toArguments() {
        return List.of(
                program.name(),
                uri,
                String.join(";", capsules),
                lease.toString(),
                shutdownTimeout.toString(),
                commandTimeout.toString(),
                clockOffset.toString());
    }

    static WorkerSettings parse(List<String> arguments) {
        return new WorkerSettings(
                Program.valueOf(arguments.get(0)),
                arguments.get(1),
                List.of(arguments.get(2).split(";")),
                Duration.parse(arguments.get(3)),
                Duration.parse(arguments.get(4)),
                Duration.parse(arguments.get(5)),
                Duration.parse(arguments.get(6)));
    }
}
