package dev.jobs.client;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.jobs.BulkEndedException;
import dev.jobs.BulkEndedException.BulkJob;
import dev.jobs.BulkEndedException.State;
import dev.jobs.EnqueueCall;
import dev.jobs.JobHooks;
import dev.jobs.JobListener;
import dev.jobs.JobRegistry;
import dev.jobs.Payload;
import dev.jobs.assembly.RedisJobStore;
import dev.jobs.store.Check;
import dev.jobs.store.JobPushes;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** What callers and listeners learn of payloads that a check refused. */
class ChecksAtPushIT {

    @AutoClose
    static final ClientTestBed bed = new ClientTestBed();

    private final List<String> heard = new ArrayList<>();
    private Enqueuer enqueuer = enqueuer(ChecksAtPushIT::oneOfEachName);

    @AfterEach
    void empty() {
        enqueuer.close();
        bed.clear();
    }

    private Enqueuer enqueuer(Function<Payload, List<Check>> checks) {
        JobListener listener = new JobListener() {
            @Override
            public void enqueued(String name, String queue, int count, boolean scheduled) {
                heard.add(name + " " + count + (scheduled ? " scheduled" : ""));
            }
        };
        ClientConfig config = ClientConfig.defaults();
        return new Enqueuer(
                new CheckingStore(new RedisJobStore(bed.redis.connections("")), checks),
                JobHooks.none().with(JobListener.class, listener),
                new PayloadRules(config.maxPayload(), config.times()),
                Clock.fixed(ClientTestBed.NOW, ZoneOffset.UTC),
                new JobRegistry(List.of()),
                1_000);
    }

    private record CheckingStore(JobStore store, Function<Payload, List<Check>> made) implements JobStore {

        @Override
        public JobPushes.Sent send(List<ReadyJob> jobs) {
            return store.send(jobs);
        }

        @Override
        public List<Check> checks(Payload payload, JobRegistry registry, InstantSource clock) {
            return made.apply(payload);
        }

        @Override
        public Instant cancel(String jid, Instant now) {
            return store.cancel(jid, now);
        }

        @Override
        public ResultStore results() {
            return store.results();
        }

        @Override
        public Duration timeout() {
            return store.timeout();
        }

        @Override
        public void close() {
            store.close();
        }
    }

    private static List<Check> oneOfEachName(Payload payload) {
        return List.of(limit(payload.jobName(), "1"));
    }

    private static Check limit(String group, String most) {
        return new Check("limit", "limits".getBytes(UTF_8), List.of(group.getBytes(UTF_8), most.getBytes(UTF_8)));
    }

    private static Payload job(String name, String jid) {
        return Payload.of(Map.of("class", name, "args", List.of(), "queue", "mail", "jid", jid));
    }

    private List<String> jids() {
        return bed.queue("mail").stream()
                .map(stored -> Payload.parse(stored.getBytes(UTF_8)).jid())
                .toList();
    }

    @Test
    void aRefusedJobHasNoJidAndNoListenerHearsOfIt() {
        assertThat(enqueuer.enqueue(job("A", "j1"), WaitingJobs.OfCaller.NONE)).isEqualTo("j1");
        assertThat(enqueuer.enqueue(job("A", "j2"), WaitingJobs.OfCaller.NONE)).isNull();
        assertThat(enqueuer.enqueue(job("A", "j3").with("at", 1_900_000_000), WaitingJobs.OfCaller.NONE))
                .isNull();

        assertThat(jids()).containsExactly("j1");
        assertThat(bed.scheduled()).isEmpty();
        assertThat(heard).containsExactly("A 1");
    }

    @Test
    void aBulkCallReturnsNullWhereAJobWasRefused() {
        List<Payload> jobs = List.of(
                job("A", "j1"),
                job("B", "j2").with("at", 1_900_000_000),
                job("A", "j3"),
                job("C", "j4"),
                job("B", "j5"));

        assertThat(new BulkCall(enqueuer, EnqueueCall.NONE, 10, null).run(jobs, job -> job))
                .as("jobs that are due go first")
                .containsExactly("j1", null, null, "j4", "j5");

        assertThat(jids()).containsExactly("j1", "j4", "j5");
        assertThat(bed.scheduled()).isEmpty();
        assertThat(heard).containsExactlyInAnyOrder("A 1", "B 1", "C 1");
    }

    @Test
    void aBulkCallThatEndsEarlySaysWhichJobsWereRefused() {
        Stream<Payload> jobs = Stream.concat(
                Stream.of(job("A", "j1"), job("A", "j2"), job("B", "j3")), Stream.<Payload>generate(() -> {
                    throw new IllegalStateException("no more rows");
                }));

        Throwable thrown =
                catchThrowable(() -> new BulkCall(enqueuer, EnqueueCall.NONE, 3, null).run(jobs::iterator, job -> job));

        BulkEndedException ended = BulkEndedException.of(thrown).orElseThrow();
        assertThat(ended.jobs())
                .containsExactly(
                        new BulkJob("j1", State.STORED),
                        new BulkJob(null, State.REFUSED),
                        new BulkJob("j3", State.STORED));
        assertThat(ended).hasMessageContaining("2 had been stored before");
    }

    @Test
    void checksCountForTheSizeOfASlice() {
        enqueuer.close();
        enqueuer = enqueuer(job -> List.of(limit("x".repeat(300_000), "100")));

        new BulkCall(enqueuer, EnqueueCall.NONE, 1_000, null)
                .run(IntStream.range(0, 10).mapToObj(i -> job("A", "j" + i)).toList(), job -> job);

        assertThat(heard).containsExactly("A 4", "A 4", "A 2");
    }
}
