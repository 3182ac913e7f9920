package dev.jobs.shards.dashboard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.jobs.JobStoreException;
import dev.jobs.shards.dashboard.AllShards.Outcome;
import dev.jobs.shards.spring.SideBySide;
import dev.jobs.shards.spring.SideBySide.Patience;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class AllShardsTests {

    @AutoClose
    private final SideBySide hurried = asking(Duration.ofMillis(200), AllShards.PATIENCE.acting());

    @AutoClose
    private final SideBySide waiting = asking(Duration.ofSeconds(20), AllShards.PATIENCE.acting());

    /** Waits for answers, but not for deeds. */
    @AutoClose
    private final SideBySide waitingToAsk = asking(Duration.ofSeconds(20), Duration.ofMillis(200));

    private final List<ShardPart> shards = List.of(shard("home"), shard("b"), shard("c"));
    private final AllShards some = new AllShards(shards, hurried);
    private final AllShards patient = new AllShards(shards, waiting);
    private final AllShards unhurried = new AllShards(shards, waitingToAsk);
    private final CountDownLatch silence = new CountDownLatch(1);
    private final AtomicInteger asked = new AtomicInteger();

    private static SideBySide asking(Duration patience, Duration timeToAct) {
        return new SideBySide(
                "test-", new Patience(patience, AllShards.PATIENCE.silent(), timeToAct, AllShards.PATIENCE.waiting()));
    }

    /** The tests ask for its name only. */
    @SuppressWarnings("NullAway")
    private static ShardPart shard(String name) {
        return new ShardPart(name, name, "", () -> "", null, null, null);
    }

    @AfterEach
    void speak() {
        silence.countDown();
    }

    /** The shard b doesn't answer. */
    private String answer(ShardPart shard) {
        if (shard.name().equals("b")) {
            asked.incrementAndGet();
            try {
                silence.await();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }
        return shard.name();
    }

    private static List<String> codes(List<? extends Outcome<?>> outcomes) {
        return AllShards.missing(outcomes).stream()
                .map(each -> each.shard().name() + " " + each.code())
                .toList();
    }

    @Test
    void answersComeInTheOrderOfTheShards() {
        assertThat(patient.ask(shards, ShardPart::name))
                .extracting(Outcome::value)
                .containsExactly("home", "b", "c");
    }

    @Test
    void aSilentOneIsWaitedForOnceAndAskedAgainWhenItHasSpoken() {
        List<Outcome<String>> first = some.ask(shards, this::answer);
        List<Outcome<String>> second = some.ask(shards, this::answer);

        assertThat(first).extracting(Outcome::value).containsExactly("home", null, "c");
        assertThat(codes(first)).containsExactly("b silent");
        assertThat(codes(second)).containsExactly("b silent");
        assertThat(asked).as("what is under way will tell").hasValue(1);

        silence.countDown();

        await().until(() -> some.ask(shards, this::answer).stream().allMatch(each -> each.value() != null));
    }

    @Test
    void manyThatAskASilentOneTakeNoMoreThanItsThreads() {
        for (int i = 0; i < 20; i++) {
            Thread asking = new Thread(() -> some.ask(shards, this::answer));
            asking.setDaemon(true);
            asking.start();
        }

        await().until(() -> codes(some.ask(shards, this::answer)).equals(List.of("b silent")));
        assertThat(asked.get()).isLessThanOrEqualTo(4);
    }

    @Test
    void oneThatIsAwaySaysWhyAndIsThereAgainAtOnce() {
        List<Outcome<String>> away = some.ask(shards, shard -> {
            if (shard.name().equals("c")) {
                throw new JobStoreException(
                        JobStoreException.Kind.UNREACHABLE, "c is away", new IllegalStateException());
            }
            return shard.name();
        });

        assertThat(codes(away)).containsExactly("c redis");
        await().untilAsserted(() ->
                assertThat(codes(some.ask(shards, ShardPart::name))).isEmpty());
    }

    @Test
    void anActionReachesAlsoOneThatWasSilent() {
        some.ask(shards, this::answer);

        assertThat(some.act(shards, ShardPart::name, shard -> {}))
                .extracting(Outcome::value)
                .containsExactly("home", "b", "c");
    }

    /** As if more people look at once than a shard has threads. */
    @Test
    void oneThatAnswersIsAskedByManyAtOnce() {
        ConcurrentLinkedQueue<List<String>> answers = new ConcurrentLinkedQueue<>();
        for (int i = 0; i < 20; i++) {
            start(() -> answers.add(codes(patient.ask(shards, this::answer))));
        }
        await().until(() -> asked.get() == 4);
        assertThat(codes(patient.ask(List.of(shards.get(0)), ShardPart::name))).isEmpty();

        silence.countDown();

        await().until(() -> answers.size() == 20);
        assertThat(answers).containsOnly(List.of());
    }

    @Test
    void whatIsTooMuchIsNoSilence() {
        List<ShardPart> b = List.of(shards.get(1));
        ConcurrentLinkedQueue<List<String>> answers = new ConcurrentLinkedQueue<>();
        for (int i = 0; i < 37; i++) {
            start(() -> answers.add(codes(patient.ask(b, this::answer))));
        }

        await().until(() -> answers.size() == 1);
        assertThat(answers).containsExactly(List.of("b shard-busy"));
        silence.countDown();
        await().until(() -> answers.size() == 37);
        assertThat(answers).containsOnlyOnce(List.of("b shard-busy"));
    }

    @Test
    void anActionThatIsNotBegunInTimeNeverIs() {
        for (int i = 0; i < 4; i++) {
            start(() -> unhurried.ask(List.of(shards.get(1)), this::answer));
        }
        await().until(() -> asked.get() == 4);
        CountDownLatch given = new CountDownLatch(1);
        ConcurrentLinkedQueue<String> unbegun = new ConcurrentLinkedQueue<>();
        start(() -> {
            unhurried.act(
                    List.of(shards.get(1)),
                    shard -> unbegun.add("done in spite of that"),
                    shard -> unbegun.add(shard.name()));
            given.countDown();
        });
        await().until(() -> given.getCount() == 0);

        assertThat(unbegun).containsExactly("b");
        silence.countDown();
        await().untilAsserted(() ->
                assertThat(codes(unhurried.ask(shards, ShardPart::name))).isEmpty());
        assertThat(unbegun).containsExactly("b");
    }

    private static void start(Runnable task) {
        Thread thread = new Thread(task);
        thread.setDaemon(true);
        thread.start();
    }
}
