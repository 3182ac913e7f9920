package dev.jobs.benchmarks.harness;

import dev.jobs.benchmarks.driver.Pauses;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.JsonNode;

/**
 * What the starter costs a small application: the same one without it, with a connection to Redis alone, with the
 * libraries that the starter needs, and with the starter, each in a fresh JVM. It is ready when it runs; with Redis, when
 * that has answered; with the libraries, when it waits for a job; with the starter, when its worker could run one.
 */
final class StarterMeasurement {

    static final String WITH = "with the starter";
    static final String REDIS = "with Redis alone";
    static final String LIBRARIES = "with the libraries alone";
    static final String WITHOUT = "without";

    private static final Map<String, String> MODULES = Map.of(
            WITH,
            "application-jobs",
            LIBRARIES,
            "application-libraries",
            REDIS,
            "application-redis",
            WITHOUT,
            "application");
    private static final Duration IDLE = Duration.ofSeconds(3);

    private final JobsMeasurements wide;

    StarterMeasurement(JobsMeasurements wide) {
        this.wide = wide;
    }

    void take() throws IOException {
        for (String who : wide.inTurn(List.of(WITHOUT, REDIS, LIBRARIES, WITH))) {
            wide.server().clear();
            Path module = wide.options().home().resolve(MODULES.get(who));
            try (ChildProcess child = wide.child(
                    module,
                    "starter",
                    FootprintMeasurements.SMALL_HEAP,
                    "dev.jobs.benchmarks.application.ApplicationMain")) {
                wide.line("starter", who, child.greeting());
                wide.value(
                        "starter: CPU until ready, s",
                        who,
                        child.greeting().path("cpu_nanos").asDouble(Double.NaN) / 1e9);
                Pauses.pause(IDLE);
                JsonNode idle = child.ask("footprint");
                wide.line("starter", who, idle);
                wide.value("starter: idle threads", who, idle.path("threads").asDouble(Double.NaN));
                wide.value(
                        "starter: resident, MiB",
                        who,
                        idle.path("resident_bytes").asDouble(Double.NaN) / (1 << 20));
            }
        }
    }
}
