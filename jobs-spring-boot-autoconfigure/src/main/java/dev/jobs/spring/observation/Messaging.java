package dev.jobs.spring.observation;

import io.micrometer.common.KeyValues;

/**
 * Keys of OpenTelemetry's messaging conventions. The system has the name that Sidekiq's instrumentation gives it, so
 * that one search finds the spans of both.
 */
final class Messaging {

    private Messaging() {}

    static KeyValues keys(String operation, String type, String queue) {
        return KeyValues.of(
                "messaging.system", "sidekiq",
                "messaging.operation.name", operation,
                "messaging.operation.type", type,
                "messaging.destination.name", queue);
    }
}
