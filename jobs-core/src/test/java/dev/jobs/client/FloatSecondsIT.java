package dev.jobs.client;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.JobClient;
import dev.jobs.JobHooks;
import dev.jobs.Payload;
import dev.jobs.PayloadTimes;
import java.time.Clock;
import java.time.Duration;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A client whose jobs are read by Sidekiq 6 or 7. */
@Tag("sidekiq-5")
@Tag("sidekiq-30")
class FloatSecondsIT {

    private static final String CREATED = "\"created_at\":1795237556.186";
    private static final String BOTH = CREATED + ",\"enqueued_at\":1795237556.186}";

    @AutoClose
    static final ClientTestBed bed = new ClientTestBed();

    private JobClient client;

    @BeforeEach
    void empty() {
        bed.clear();
        client = bed.client(
                bed.redis.connections(""),
                JobHooks.none(),
                new ClientConfig(1_000_000, 100, PayloadTimes.FLOAT_SECONDS),
                Clock.fixed(ClientTestBed.NOW, ZoneOffset.UTC));
    }

    @Test
    void oneJob() {
        client.enqueue("HardWorker", "bob");
        assertThat(bed.queue("default")).singleElement().asString().endsWith(BOTH);
    }

    @Test
    void manyJobs() {
        client.enqueueAll("HardWorker", List.of(List.of(1), List.of(2)));
        assertThat(bed.queue("default")).hasSize(2).allSatisfy(job -> assertThat(job)
                .endsWith(BOTH));
    }

    @Test
    void aScheduledJob() {
        client.in(Duration.ofMinutes(1)).enqueue("HardWorker", "bob");
        assertThat(bed.scheduled()).singleElement().asString().endsWith(CREATED + "}");
    }

    @Test
    void aRawPayloadKeepsTheTimeThatItWasGiven() {
        client.push(Map.of("class", "HardWorker", "args", List.of(), "created_at", 1_700_000_000_000L));
        assertThat(Payload.parse(bed.queue("default").get(0).getBytes(java.nio.charset.StandardCharsets.UTF_8)))
                .satisfies(stored -> {
                    assertThat(stored.get("created_at")).isEqualTo(1_700_000_000_000L);
                    assertThat(stored.get("enqueued_at")).isEqualTo(1_795_237_556.186);
                });
    }
}
