package dev.jobs.shards.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class SideBySideTests {

    @AutoClose
    private final SideBySide sideBySide = new SideBySide("test-", SideBySide.Patience.of(Duration.ofSeconds(1)));

    private final Map<String, String> shards = new LinkedHashMap<>();
    private final CountDownLatch silence = new CountDownLatch(1);
    private final AtomicInteger asked = new AtomicInteger();

    SideBySideTests() {
        shards.put("home", "home");
        shards.put("east", "east");
    }

    @AfterEach
    void speak() {
        silence.countDown();
    }

    /** The shard east doesn't answer. */
    private String answer(String shard) {
        if (shard.equals("east")) {
            asked.incrementAndGet();
            try {
                silence.await();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }
        return shard;
    }

    private Map<String, String> ask() {
        Map<String, String> answers = new LinkedHashMap<>();
        sideBySide
                .<String, String>ask(shards, this::answer)
                .forEach((name, outcome) ->
                        answers.put(name, outcome.failure() instanceof SideBySide.NoAnswer ? "late" : outcome.value()));
        return answers;
    }

    @Test
    void oneThatHangsHoldsUpNoOther() {
        ConcurrentLinkedQueue<Map<String, String>> answers = new ConcurrentLinkedQueue<>();
        for (int i = 0; i < 20; i++) {
            Thread asking = new Thread(() -> answers.add(ask()));
            asking.setDaemon(true);
            asking.start();
        }

        await().until(() -> answers.size() == 20);

        assertThat(answers).containsOnly(Map.of("home", "home", "east", "late"));
    }

    @Test
    void oneThatHangsIsAskedNothingMoreUntilItHasAnswered() {
        assertThat(ask()).containsExactly(Map.entry("home", "home"), Map.entry("east", "late"));
        assertThat(ask()).containsExactly(Map.entry("home", "home"), Map.entry("east", "late"));
        assertThat(asked).hasValue(1);

        silence.countDown();

        await().until(() -> ask().equals(shards));
    }

    @Test
    void whatWasNotBegunInTimeNeverIs() {
        for (int i = 0; i < 20; i++) {
            Thread asking = new Thread(this::ask);
            asking.setDaemon(true);
            asking.start();
        }
        await().until(() -> asked.get() == SideBySide.THREADS);
        assertThat(ask()).containsEntry("east", "late");

        silence.countDown();

        await().until(() -> ask().equals(shards));
        assertThat(asked.get()).isLessThan(20);
    }
}
