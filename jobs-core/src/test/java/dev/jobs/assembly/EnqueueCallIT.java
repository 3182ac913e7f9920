package dev.jobs.assembly;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jobs.EnqueueCall;
import dev.jobs.EnqueueMiddleware;
import dev.jobs.JobCall;
import dev.jobs.JobHooks;
import dev.jobs.Payload;
import dev.jobs.batches.BatchEvent;
import dev.jobs.batches.OpenBatch;
import dev.jobs.batches.RedisBatches;
import dev.jobs.client.ClientTestBed;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What a middleware learns of the calls of a client. */
class EnqueueCallIT {

    @AutoClose
    @RegisterExtension
    static final ClientTestBed bed = new ClientTestBed();

    private final List<String> heard = new ArrayList<>();
    private final Follower follower = new Follower();

    /** Notes everything, and marks each job with the number of its call. */
    private final class Follower implements EnqueueMiddleware {

        private int calls;

        @Override
        public Payload enqueue(Payload payload, Chain next) {
            return next.proceed(payload);
        }

        @Override
        public EnqueueCall begin(String batch) {
            int number = ++calls;
            heard.add(number + (batch == null ? "" : " for a batch"));
            return new EnqueueCall() {
                @Override
                public Payload add(Payload draft) {
                    heard.add(number + " adds " + draft.name());
                    return draft.with("call", number);
                }

                @Override
                public void end(Throwable failure) {
                    heard.add(number + " ends"
                            + (failure == null
                                    ? ""
                                    : " with " + failure.getClass().getSimpleName()));
                }
            };
        }
    }

    private static JobHooks hooks(EnqueueMiddleware... middleware) {
        return JobHooks.none().with(EnqueueMiddleware.class, List.of(middleware));
    }

    private static List<Object> calls(String queue) {
        return bed.queue(queue).stream()
                .map(job -> Payload.parse(job.getBytes(java.nio.charset.StandardCharsets.UTF_8))
                        .get("call"))
                .toList();
    }

    @Test
    void aCallForOneJobIsFollowedFromItsJobToTheAnswer() {
        RedisJobClient client = bed.client(follower);

        client.enqueue("A", 1);
        client.enqueue("B", 2);

        assertThat(heard).containsExactly("1", "1 adds A", "1 ends", "2", "2 adds B", "2 ends");
        assertThat(calls("default")).containsExactly(1L, 2L);
    }

    @Test
    void aBulkCallIsOneCall() {
        bed.client(follower).enqueueAll("A", Stream.of(1, 2, 3).map(List::of).toList());

        assertThat(heard).containsExactly("1", "1 adds A", "1 adds A", "1 adds A", "1 ends");
        assertThat(calls("default")).containsExactly(1L, 1L, 1L);
    }

    @Test
    void aCallThatFailsEndsWithItsFailure() {
        RedisJobClient client = bed.client(follower);

        assertThatThrownBy(() -> client.enqueue(" ")).isNotNull();
        assertThatThrownBy(() -> client.enqueueAll("A", Arrays.asList(List.of(1), null)))
                .isNotNull();

        assertThat(heard)
                .containsExactly(
                        "1",
                        "1 adds  ",
                        "1 ends with InvalidJobException",
                        "2",
                        "2 adds A",
                        "2 ends with InvalidJobException");
    }

    @Test
    void aBatchIsOneCallWithItsChildrenAndCallbacks() {
        RedisJobClient client = bed.client(follower);
        try (RedisBatches batches = new RedisBatches(bed.redis.connections(""), client, new SecureRandom())) {
            batches.create("import", batch -> batch.add(JobCall.named("A"))
                    .child("part", child -> child.add(JobCall.named("B")))
                    .then("next", next -> next.add(JobCall.named("C")))
                    .on(BatchEvent.SUCCEEDED, JobCall.named("D")));
        }

        assertThat(heard).containsExactly("1 for a batch", "1 adds A", "1 adds B", "1 adds C", "1 adds D", "1 ends");
        assertThat(calls("default")).containsExactlyInAnyOrder(1L, 1L);
    }

    @Test
    void fillingAnOpenBatchIsOneCallThatEndsWithItsCommit() {
        RedisJobClient client = bed.client(follower);
        try (RedisBatches batches = new RedisBatches(bed.redis.connections(""), client, new SecureRandom())) {
            try (OpenBatch batch = batches.open("import")) {
                batch.add(JobCall.named("A"));
                batch.addAll(Stream.of(JobCall.named("B"), JobCall.named("C")));
                assertThat(heard).containsExactly("1 for a batch", "1 adds A", "1 adds B", "1 adds C");
                batch.commit();
            }
        }

        assertThat(heard).endsWith("1 adds C", "1 ends").hasSize(5);
        assertThat(calls("default")).containsExactly(1L, 1L, 1L);
    }

    @Test
    void whatFollowersThrowIsIgnored() {
        EnqueueMiddleware failing = new EnqueueMiddleware() {
            @Override
            public Payload enqueue(Payload payload, Chain next) {
                return next.proceed(payload);
            }

            @Override
            public EnqueueCall begin(String batch) {
                if (heard.isEmpty()) {
                    heard.add("begin fails");
                    throw new IllegalStateException("in begin");
                }
                return new EnqueueCall() {
                    @Override
                    public Payload add(Payload draft) {
                        throw new IllegalStateException("in add");
                    }

                    @Override
                    public void end(Throwable failure) {
                        throw new IllegalStateException("in end");
                    }
                };
            }
        };
        RedisJobClient client = bed.client(hooks(failing, follower));

        assertThat(client.enqueue("A")).isNotNull();
        assertThat(client.enqueue("B")).isNotNull();

        assertThat(heard).containsExactly("begin fails", "1", "1 adds A", "1 ends", "2", "2 adds B", "2 ends");
        assertThat(calls("default")).containsExactly(1L, 2L);
    }
}
