package dev.jobs.assembly;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jobs.InvalidJobException;
import dev.jobs.Job;
import dev.jobs.JobCall;
import dev.jobs.JobHooks;
import dev.jobs.batches.RedisBatches;
import dev.jobs.client.ClientConfig;
import dev.jobs.client.ClientTestBed;
import dev.jobs.recurring.Recurrence;
import dev.jobs.recurring.RedisRecurringJobs;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.SortedMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** No way of storing a job lets its arguments change in silence. */
class LostArgumentsIT {

    @AutoClose
    @RegisterExtension
    static final ClientTestBed bed = new ClientTestBed();

    static class Animal {
        public String name = "";
    }

    static final class Dog extends Animal {
        public int legs = 4;
    }

    static final class Zoo {
        @Job("Zoo.feed")
        void feed(Animal animal) {}

        @Job("Zoo.note")
        String note(Map<String, Object> values) {
            return "";
        }

        @Job("Zoo.close")
        void close() {}
    }

    /** All that can store a job. */
    private record Ways(RedisJobClient client, RedisBatches batches, RedisRecurringJobs recurring) {}

    @FunctionalInterface
    private interface Way {
        void store(Ways with);
    }

    static Stream<Arguments> ways() {
        Animal dog = new Dog();
        Map<String, Object> open = Map.of("at", Instant.EPOCH);
        Recurrence daily = Recurrence.cron("0 5 * * *");
        return Stream.of(
                way("by reference", with -> with.client().enqueue(Zoo::feed, dog)),
                way("by name", with -> with.client().enqueue("Zoo.feed", dog)),
                way("in an open map", with -> with.client().enqueue(Zoo::note, open)),
                way("by name in an open map", with -> with.client().enqueue("Zoo.note", open)),
                way("later", with -> with.client().in(Duration.ofDays(1)).enqueue(Zoo::feed, dog)),
                way("in bulk", with -> with.client().enqueueAll(Zoo::feed, List.of(dog))),
                way("in bulk by name", with -> with.client().enqueueAll("Zoo.feed", List.of(List.of(dog)))),
                way("submitted", with -> with.client().submit(JobCall.of(Zoo::note, open), String.class)),
                way("submitted by name", with -> with.client().submit("Zoo.note", String.class, open)),
                way("in a batch", with -> with.batches().create("b", batch -> batch.add(JobCall.of(Zoo::feed, dog)))),
                way("in a batch by name", with -> with.batches()
                        .create("b", batch -> batch.add(JobCall.named("Zoo.feed", dog)))),
                way("in a callback", with -> with.batches()
                        .create("b", batch -> batch.add(JobCall.of(Zoo::close)).onSuccess(JobCall.of(Zoo::feed, dog)))),
                way("recurring", with -> with.recurring().save("r", daily, JobCall.of(Zoo::feed, dog))),
                way("recurring by name", with -> with.recurring().save("r", daily, JobCall.named("Zoo.feed", dog))));
    }

    private static Arguments way(String name, Way way) {
        return Arguments.argumentSet(name, way);
    }

    @ParameterizedTest
    @MethodSource("ways")
    void refusesAndStoresNothing(Way way) {
        RedisJobClient client = bed.client(Zoo.class);
        try (RedisBatches batches = new RedisBatches(bed.redis.connections(""), client, new Random(43));
                RedisRecurringJobs recurring = new RedisRecurringJobs(
                        bed.redis.connections(""),
                        ClientTestBed.registry(Zoo.class),
                        JobHooks.none(),
                        ClientConfig.defaults(),
                        new Random(44),
                        "default")) {
            client.enqueue(Zoo::close);
            SortedMap<String, String> before = bed.redis.snapshot();

            assertThatThrownBy(() -> way.store(new Ways(client, batches, recurring)))
                    .isInstanceOf(InvalidJobException.class)
                    .hasMessageMatching(".*Zoo.(feed|note): Argument 1 \\((animal|values): .*\\) can't be stored.*:"
                            + " .* would arrive as .*");
            assertThat(bed.redis.snapshot()).isEqualTo(before);
        }
    }

    @Test
    void whatThisApplicationDoesNotReadMayBeAnything() {
        bed.client(Zoo.class).enqueue("Aquarium.feed", new Dog(), Map.of("at", Instant.EPOCH));
        bed.client(Zoo.class).push(Map.of("class", "Zoo.feed", "args", new ArrayList<>(List.of("any"))));

        assertThat(bed.queue("default")).hasSize(2);
    }
}
