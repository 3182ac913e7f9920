package dev.jobs.limiters;

import static dev.jobs.assembly.EngineTestBed.payload;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.jobs.Job;
import dev.jobs.JobContext;
import dev.jobs.JobHooks;
import dev.jobs.JobListener;
import dev.jobs.JobRegistry;
import dev.jobs.PayloadTimes;
import dev.jobs.assembly.EngineConfig;
import dev.jobs.assembly.EngineTestBed;
import dev.jobs.assembly.InlineRunner;
import dev.jobs.testing.RedisFixture;
import dev.jobs.threads.Loop;
import dev.jobs.threads.ThreadGuard;
import dev.jobs.threads.ThreadState;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.slf4j.MDC;

/** Nothing that code leaves on a thread reaches the next job there. */
class LeftOnThreadIT {

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @AutoClose
    @RegisterExtension
    static final RedisFixture redis = RedisFixture.start();

    /** As of a framework's own thread locals. */
    private final ThreadLocal<String> user = new ThreadLocal<>();

    private final ThreadState users = () -> {
        String before = user.get();
        return () -> user.set(before);
    };
    private final ThreadState broken = () -> {
        throw new IllegalStateException("of a state");
    };
    private final ThreadState failing = () -> () -> {
        throw new IllegalStateException("of a restoration");
    };
    private final Jobs jobs = new Jobs();

    @AutoClose
    private final EngineTestBed bed = new EngineTestBed(redis);

    @BeforeEach
    void oneThread() {
        bed.config = EngineConfig.of(1, "default");
        bed.environment = bed.environment.withThreadStates(List.of(broken, failing, users));
    }

    /** What a thread has. */
    record Seen(
            String name, int priority, ClassLoader loader, Map<String, String> mdc, String user, boolean interrupted) {}

    private Seen look() {
        Thread thread = Thread.currentThread();
        Map<String, String> mdc = MDC.getCopyOfContextMap();
        return new Seen(
                thread.getName(),
                thread.getPriority(),
                thread.getContextClassLoader(),
                mdc == null ? Map.of() : mdc,
                user.get(),
                thread.isInterrupted());
    }

    private void leave() {
        Thread thread = Thread.currentThread();
        MDC.put("customer", "x");
        thread.setName("renamed");
        thread.setPriority(Thread.MIN_PRIORITY);
        thread.setContextClassLoader(null);
        user.set("x");
        thread.interrupt();
    }

    final class Jobs {
        final List<Seen> seen = new CopyOnWriteArrayList<>();

        @Job("Look")
        void looks() {
            Seen now = look();
            assertThat(now.mdc().keySet()).contains("jid", "job", "queue");
            now.mdc().keySet().removeAll(Set.of("jid", "job", "queue"));
            seen.add(now);
        }

        @Job("Leave")
        void leaves() {
            leave();
        }

        @Job(value = "Dies", retry = Job.NONE)
        void dies() {
            throw new IllegalStateException("for its handler");
        }

        @Job("Other")
        void other() {}
    }

    private enum By {
        JOB,
        MIDDLEWARE,
        STARTED,
        FINISHED,
        DEATH_HANDLER
    }

    private void run(String name, String jid) {
        bed.push("default", payload(name, jid, "[]", "\"retry\":0"));
    }

    private void runAndLook() {
        int before = jobs.seen.size();
        run("Look", "look" + before);
        await().atMost(PATIENCE).until(() -> jobs.seen.size() > before);
    }

    @ParameterizedTest
    @EnumSource(By.class)
    void theNextJobFindsNothing(By by) {
        bed.middleware.add((job, next) -> {
            next.proceed();
            leaveIf(by == By.MIDDLEWARE, job);
        });
        bed.listeners.add(new JobListener() {
            @Override
            public void started(JobContext job) {
                leaveIf(by == By.STARTED, job);
            }

            @Override
            public void finished(JobContext job, Ending ending, Duration took, Throwable failure) {
                leaveIf(by == By.FINISHED, job);
            }
        });
        CountDownLatch handled = new CountDownLatch(1);
        bed.deathHandlers.add((payload, failure) -> {
            leave();
            handled.countDown();
        });
        bed.start(jobs);
        runAndLook();

        run(
                switch (by) {
                    case JOB -> "Leave";
                    case DEATH_HANDLER -> "Dies";
                    default -> "Other";
                },
                "leaves");
        runAndLook();

        assertThat(handled.getCount()).isEqualTo(by == By.DEATH_HANDLER ? 0 : 1);
        assertThat(jobs.seen.get(1)).isEqualTo(jobs.seen.get(0));
        assertThat(jobs.seen.get(0).name()).isEqualTo("jobs-default-1");
    }

    private void leaveIf(boolean wanted, JobContext job) {
        if (wanted && job.name().equals("Other")) {
            leave();
        }
    }

    @Test
    void theCallersThreadKeepsWhatItHadWhenItRunsAJobItself() {
        InlineRunner runner = new InlineRunner(
                JobRegistry.of(jobs),
                JobHooks.none(),
                1,
                PayloadTimes.MILLISECONDS,
                bed.environment,
                LimiterConfig.defaults(),
                new CurrentDelivery(),
                payload -> true);
        MDC.put("jid", "of the caller");
        MDC.put("request", "7");
        user.set("kim");
        Seen before = look();
        try {
            runner.run("default", payload("Leave", "j1", "[]").getBytes(StandardCharsets.UTF_8), ended -> {});

            assertThat(look()).isEqualTo(before);
        } finally {
            MDC.clear();
        }
    }

    @Test
    void aChoreFindsNothingOfItsLastRun() {
        List<Seen> seen = new CopyOnWriteArrayList<>();
        Loop loop = new Loop("jobs-test", new ThreadGuard(error -> {}, List.of(users)), () -> {
            seen.add(look());
            leave();
            return Duration.ofMillis(1);
        });
        loop.start();
        await().atMost(PATIENCE).until(() -> seen.size() >= 2);
        loop.stop(PATIENCE);

        assertThat(seen.get(1)).isEqualTo(seen.get(0));
    }
}
