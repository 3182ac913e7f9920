package dev.jobs.outbox;

import dev.jobs.spring.autoconfigure.checks.PropertyRules;
import dev.jobs.transactions.OutboxPushes.Acknowledgement;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.boot.convert.DurationUnit;
import org.springframework.boot.sql.init.DatabaseInitializationMode;

/**
 * The properties of the outbox.
 *
 * @param relay Whether this application moves jobs from the outbox to Redis. At least one application that uses the
 *     table must.
 * @param lanes Number of parts of the outbox that are relayed side by side, 1 to 64. A queue is always in the same
 *     part, so its order is kept. Applications with different numbers relay each other's rows, but put a queue into
 *     several parts, between which there is no order.
 * @param pollInterval Time after which the outbox is looked at for what other processes left in it, 10 milliseconds to
 *     10 minutes. The jobs of this process are relayed as soon as they are committed.
 * @param acknowledgement What Redis must have done with jobs before they are removed from the outbox.
 * @param initializeSchema When the tables are created, and altered for a new version, at the start.
 */
@ConfigurationProperties("jobs.outbox")
record OutboxProperties(
        @DefaultValue("true") boolean relay,
        @DefaultValue("1") int lanes,

        @DefaultValue("1s") @DurationUnit(ChronoUnit.SECONDS)
        Duration pollInterval,

        @DefaultValue("none") Acknowledgement acknowledgement,
        @DefaultValue("embedded") DatabaseInitializationMode initializeSchema) {

    OutboxProperties {
        PropertyRules.of("jobs.outbox")
                .within("lanes", lanes, 1, 64)
                .within("poll-interval", pollInterval, "10ms", "10m")
                .enforce();
    }
}
