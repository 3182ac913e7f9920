package dev.jobs.redis;

import dev.jobs.Internal;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import org.jspecify.annotations.Nullable;

/**
 * The Redis server's information about itself. Missing or unreadable values are null.
 *
 * @param name {@code redis}, {@code valkey} …
 * @param version the server's own version
 * @param uptime since it started
 * @param usedMemory bytes
 * @param peakMemory bytes
 * @param maxMemory bytes; 0 means no limit
 * @param maxMemoryPolicy anything but {@code noeviction} may lose jobs
 * @param connectedClients connections to it
 * @param time the time of its clock
 */
public record ServerInfo(
        String name,
        @Nullable String version,
        @Nullable Duration uptime,
        @Nullable Long usedMemory,
        @Nullable Long peakMemory,
        @Nullable Long maxMemory,
        @Nullable String maxMemoryPolicy,
        @Nullable Long connectedClients,
        @Nullable Instant time) {

    /** Reads the text of {@code INFO}. */
    @Internal
    public static ServerInfo parse(String info) {
        ServerFacts facts = ServerFacts.of(info);
        Long micros = number(facts, "server_time_usec");
        Long uptime = number(facts, "uptime_in_seconds");
        return new ServerInfo(
                facts.product(),
                facts.version(),
                uptime == null ? null : Duration.ofSeconds(uptime),
                number(facts, "used_memory"),
                number(facts, "used_memory_peak"),
                number(facts, "maxmemory"),
                facts.get("maxmemory_policy"),
                number(facts, "connected_clients"),
                micros == null ? null : Instant.EPOCH.plus(micros, ChronoUnit.MICROS));
    }

    private static @Nullable Long number(ServerFacts facts, String name) {
        String value = facts.get(name);
        try {
            return value == null ? null : Long.valueOf(value);
        } catch (NumberFormatException e) {
            return null;
        }
    }
}
