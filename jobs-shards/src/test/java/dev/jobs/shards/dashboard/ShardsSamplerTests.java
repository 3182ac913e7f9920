package dev.jobs.shards.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.dashboard.live.LiveStream;
import dev.jobs.shards.spring.SideBySide;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** Nothing about a shard may end the numbers of all of them. */
class ShardsSamplerTests {

    @AutoClose
    private final SideBySide sideBySide = new SideBySide("test-", AllShards.PATIENCE);

    /** A cluster that has never been reached doesn't even know its nodes; nor is there anything else of it. */
    @SuppressWarnings("NullAway")
    private static final ShardPart UNREACHED = new ShardPart(
            "b",
            "b",
            "b:6379",
            () -> {
                throw new IllegalStateException("Cannot retrieve initial cluster partitions");
            },
            null,
            null,
            null);

    private ShardsSampler sampler(Clock clock) {
        return new ShardsSampler(new AllShards(List.of(UNREACHED), sideBySide), clock, new LiveStream(1));
    }

    @Test
    void aShardThatWasNeverReachedIsARowAndTheSumsSayThatItIsMissing() {
        ShardsSampler.Live live = sampler(Clock.systemUTC()).latest();

        assertThat(live.shards()).singleElement().satisfies(row -> {
            assertThat(row.address()).isEqualTo("b:6379");
            assertThat(row.trouble()).isNotNull();
            assertThat(row.numbers()).isNull();
        });
        assertThat(live.unread()).isEqualTo(1);
        assertThat(live.present()).isZero();
    }

    /** An exception would end the task that sends the numbers. */
    @Test
    void whateverFailsIsAnEvent() {
        InstantSource broken = () -> {
            throw new IllegalStateException("no time");
        };

        assertThat(new String(sampler(broken.withZone(ZoneOffset.UTC)).pulse().first(), StandardCharsets.UTF_8))
                .contains("event: down");
    }
}
