package dev.jobs.dashboard.live;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.jobs.JobStoreException;
import dev.jobs.JobStoreException.Kind;
import dev.jobs.admin.Finding;
import dev.jobs.dashboard.SettableClock;
import dev.jobs.dashboard.web.DaemonThreads;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class LastFindingsTests {

    private static final Duration BRIEF = Duration.ofMillis(1);
    private static final Duration LONG = Duration.ofSeconds(20);

    private final AtomicLong now = new AtomicLong(1_000_000);
    private final AtomicInteger asked = new AtomicInteger();
    private volatile CountDownLatch answers = new CountDownLatch(0);
    private volatile boolean away;

    private final LastFindings findings = new LastFindings(
            this::answer, Duration.ofSeconds(10), SettableClock.of(now::get), new DaemonThreads("test-"));

    private List<Finding> answer() {
        int number = asked.incrementAndGet();
        try {
            answers.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
        if (away) {
            throw new JobStoreException(Kind.UNREACHABLE, "away", null);
        }
        return List.of(new Finding("answer", Finding.Level.INFO, "", List.of(), "number " + number));
    }

    @AfterEach
    void speak() {
        answers.countDown();
    }

    private String get(Duration patience) {
        List<Finding> known = findings.get(patience);
        return known.isEmpty() ? "" : known.get(0).message();
    }

    @Test
    void theyAreAskedForOnceForAllCallersWithinAMoment() {
        assertThat(get(LONG)).isEqualTo("number 1");
        now.addAndGet(9_999);
        assertThat(get(LONG)).isEqualTo("number 1");
        now.addAndGet(1);
        assertThat(get(LONG)).isEqualTo("number 2");
        now.addAndGet(-20_000);
        assertThat(get(LONG)).isEqualTo("number 3");
    }

    @Test
    void theLastOnesCountWhileNewOnesAreAwaitedByNobody() {
        get(LONG);
        answers = new CountDownLatch(1);
        now.addAndGet(10_000);

        assertThat(get(BRIEF)).isEqualTo("number 1");
        await().until(() -> asked.get() == 2);
        now.addAndGet(30_000);
        assertThat(get(LONG)).as("another one asks").isEqualTo("number 1");
        assertThat(asked).hasValue(2);

        answers.countDown();
        await().until(() -> get(LONG).equals("number 2"));
        now.addAndGet(9_999);
        assertThat(get(LONG)).as("they last from when they came").isEqualTo("number 2");
        assertThat(asked).hasValue(2);
    }

    @Test
    void thereAreNoneBeforeTheFirstAnswer() {
        answers = new CountDownLatch(1);

        assertThat(get(BRIEF)).isEmpty();
        await().until(() -> asked.get() == 1);
        assertThat(get(BRIEF)).isEmpty();
        assertThat(asked).hasValue(1);
    }

    @Test
    void aRedisThatIsAwayIsAskedAgain() {
        away = true;
        assertThatThrownBy(() -> get(LONG)).isInstanceOf(JobStoreException.class);

        away = false;
        await().ignoreExceptions().until(() -> get(LONG).startsWith("number"));
    }
}
