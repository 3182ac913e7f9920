package dev.jobs.engine;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.JobHooks;
import dev.jobs.JobListener.Ending;
import dev.jobs.PayloadTimes;
import dev.jobs.assembly.EngineTestBed;
import dev.jobs.assembly.RunParts;
import dev.jobs.engine.ClaimLine.Exchange;
import dev.jobs.engine.JobGate.Asks;
import dev.jobs.engine.JobGate.Waiting;
import dev.jobs.leases.Incarnation;
import dev.jobs.leases.Lease;
import dev.jobs.leases.ProcessLeases.Timing;
import dev.jobs.redis.Bytes;
import dev.jobs.redis.CallBounds;
import dev.jobs.redis.RedisKeys;
import dev.jobs.store.ClaimGate;
import dev.jobs.store.ClaimGate.Shut;
import dev.jobs.store.Effect;
import dev.jobs.store.JobClaims;
import dev.jobs.store.JobClaims.Claimed;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Two features that let jobs wait, as one gate. */
class JobGatesTests {

    /** Holds back jobs with its name in their payload, those with {@code late} before it when they are about to run, and shuts its queue. */
    private static final class Named implements JobGate {

        final String name;
        final List<String> asked = new ArrayList<>();
        final Set<String> shut = new HashSet<>();
        final Set<String> claimed = new HashSet<>();
        final Set<String> late = new HashSet<>();
        boolean silent;
        boolean parks;

        @Nullable Ending ends;

        Named(String name) {
            this.name = name;
        }

        @Override
        public boolean mayShut(String queue) {
            return queue.equals(name);
        }

        @Override
        public boolean isShut(String queue) {
            return shut.contains(queue);
        }

        @Override
        public ClaimGate claimGate(
                List<String> queues, HeldJobs held, List<ClaimedJob> batch, @Nullable Exchange underWay) {
            return queues.contains(name)
                    ? (me, all, keys, of, arguments) -> arguments.add(Bytes.of(name))
                    : ClaimGate.OPEN;
        }

        @Override
        public ClaimGate standingClaimGate(List<String> queues) {
            return claimGate(queues, null, List.of(), null);
        }

        @Override
        public void answered(List<String> queues, @Nullable Shut now) {
            shut.clear();
            shut.addAll(now == null ? List.of() : now.full());
        }

        @Override
        public boolean mayFreeQueue(ClaimedJob job) {
            return is(job);
        }

        @Override
        public boolean mayHaveSuccessor(ClaimedJob job) {
            return is(job);
        }

        @Override
        public List<Effect> givenBack(ClaimedJob job) {
            return List.of(new Effect("twin", Bytes.of(name), "", List.of(Bytes.of("jid"))));
        }

        @Override
        public boolean mayStart(ClaimedJob job) {
            claimed.add(job.token());
            return !is(job);
        }

        @Override
        public boolean mayRun(ClaimedJob job) {
            return !Bytes.text(job.stored()).contains("late " + name) || !late.add(job.token());
        }

        private boolean is(ClaimedJob job) {
            return Bytes.text(job.stored()).replace("late " + name, "").contains(name);
        }

        @Override
        public Asks asks(CapsuleConfig capsule, Waiting waiting, JobClaims claims, RunContext context) {
            return new Asks() {
                @Override
                public boolean isDue() {
                    return waiting.isAny();
                }

                @Override
                public int ask(Incarnation incarnation) {
                    List<ClaimedJob> some = waiting.some();
                    some.forEach(job -> asked.add(job.token()));
                    for (ClaimedJob job : silent ? List.<ClaimedJob>of() : some) {
                        if (parks) {
                            asked.addAll(waiting.parking(job).stream()
                                    .map(each -> Bytes.text(each.keys().get(0)))
                                    .toList());
                            waiting.parked(job);
                        } else {
                            if (ends != null) {
                                job.attach(new JobPart.Refusal(ends));
                            }
                            waiting.admitted(job);
                        }
                    }
                    return parks ? some.size() : 0;
                }
            };
        }
    }

    private static final Incarnation ANY = null;

    private final Named first = new Named("first");
    private final Named second = new Named("second");
    private final JobGate both = JobGate.of(List.of(first, second));
    private final EngineEnvironment environment =
            EngineEnvironment.system().withProcessorThreads(work -> new Thread(() -> {}));
    private final Lease lease = new Lease(() -> "me", new Timing(Duration.ofSeconds(20)), environment.nanoTime());
    private final RunContext context = RunContext.of(
            environment,
            PayloadTimes.MILLISECONDS,
            JobHooks.none(),
            both,
            RunParts.effects(new RedisKeys(""), EngineTestBed.unlimited(), List.of()),
            lease,
            3,
            new AtomicInteger());
    private final CapsuleConfig capsule = CapsuleConfig.of("default", 9, List.of("default"));
    private final ThreadPool.Share share = new ThreadPools().join(capsule, context, () -> {});
    private final HeldJobs held = new HeldJobs(share, new IdleWait(context), CallBounds.STANDARD, context);
    private final Asks asks = both.asks(capsule, held.waiting(), null, context);

    private void claim(String token, String payload) {
        held.take(new Claimed(token, "default", payload.getBytes(UTF_8), 0), lease.current(), true);
    }

    private List<String> ready() {
        return share.takeReady().stream().map(ClaimedJob::token).toList();
    }

    @Test
    void oneGateNeedsNothingAroundIt() {
        assertThat(JobGate.of(List.of(first))).isSameAs(first);
    }

    @Test
    void aJobStartsOnceAllGatesLetIt() {
        claim("0:1:1", "plain");
        claim("0:1:2", "first");
        claim("0:1:3", "second");
        claim("0:1:4", "first and second");
        assertThat(first.claimed).hasSize(4).isEqualTo(second.claimed);
        assertThat(ready()).containsExactly("0:1:1");

        second.silent = true;
        assertThat(asks.isDue()).isTrue();
        assertThat(asks.ask(ANY)).isZero();
        assertThat(ready()).containsExactly("0:1:2");
        assertThat(first.asked).containsExactly("0:1:2", "0:1:4");
        assertThat(second.asked).containsExactly("0:1:3", "0:1:4");

        second.silent = false;
        first.asked.clear();
        assertThat(asks.isDue()).isTrue();
        assertThat(asks.ask(ANY)).isZero();
        assertThat(ready()).containsExactlyInAnyOrder("0:1:3", "0:1:4");
        assertThat(first.asked).as("that it let go").isEmpty();
        assertThat(asks.isDue()).isFalse();
    }

    @Test
    void aGateMayHoldAJobBackWhenItIsAboutToRun() {
        claim("0:1:1", "first, and late second");
        assertThat(asks.ask(ANY)).isZero();
        ClaimedJob job = share.takeReady().get(0);

        assertThat(both.mayRun(job)).isFalse();
        held.ask(job);
        second.asked.clear();
        first.asked.clear();
        assertThat(asks.ask(ANY)).isZero();
        assertThat(second.asked).containsExactly("0:1:1");
        assertThat(first.asked).as("that it let go").isEmpty();
        assertThat(ready()).containsExactly("0:1:1");
        assertThat(both.mayRun(job)).isTrue();
    }

    @Test
    void aJobThatOneGateParksGivesBackWhatAnotherOneGave() {
        claim("0:1:1", "first and second");
        second.parks = true;

        assertThat(asks.ask(ANY)).isEqualTo(1);
        assertThat(second.asked).containsExactly("0:1:1", "first");
        assertThat(ready()).isEmpty();
        assertThat(held.isEmpty()).isTrue();
    }

    @Test
    void aJobThatIsNotToBeRunAsksNoFurtherGate() {
        claim("0:1:1", "first and second");
        first.ends = Ending.EXPIRED;

        asks.ask(ANY);
        assertThat(second.asked).isEmpty();
        assertThat(ready()).containsExactly("0:1:1");
    }

    @Test
    void aQueueIsShutWhileAnyGateShutsIt() {
        assertThat(both.mayShut("first")).isTrue();
        assertThat(both.mayShut("second")).isTrue();
        assertThat(both.mayShut("other")).isFalse();

        both.answered(List.of("second"), new Shut(List.of("second"), List.of()));
        assertThat(both.isShut("second")).isTrue();
        both.answered(List.of("second"), null);
        assertThat(both.isShut("second")).isFalse();
    }

    @Test
    void aClaimTellsRedisOfAllGates() {
        List<byte[]> arguments = new ArrayList<>();
        both.claimGate(List.of("first", "second"), held, List.of(), null)
                .addTo("me", List.of("first", "second"), new RedisKeys(""), new ArrayList<>(), arguments);
        assertThat(arguments).extracting(Bytes::text).containsExactly("first", "second");

        assertThat(both.standingClaimGate(List.of("other"))).isSameAs(ClaimGate.OPEN);
    }
}
