package dev.jobs.outbox;

import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;

/** Registers for a native image the scripts that make the table, which {@code spring.sql.init} can run. */
final class OutboxHints implements RuntimeHintsRegistrar {

    @Override
    public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
        hints.resources().registerPattern("dev/jobs/outbox/*/*.sql");
    }
}
