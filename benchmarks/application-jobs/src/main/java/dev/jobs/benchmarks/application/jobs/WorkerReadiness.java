package dev.jobs.benchmarks.application.jobs;

import dev.jobs.assembly.EngineHealth;
import dev.jobs.assembly.JobEngine;
import dev.jobs.benchmarks.application.Readiness;
import org.springframework.stereotype.Component;

/** The worker, which is ready when it could run a job at once. */
@Component
record WorkerReadiness(JobEngine engine) implements Readiness {

    @Override
    public boolean isReady() {
        EngineHealth health = engine.health();
        return health.alive() && health.doorbell();
    }
}
