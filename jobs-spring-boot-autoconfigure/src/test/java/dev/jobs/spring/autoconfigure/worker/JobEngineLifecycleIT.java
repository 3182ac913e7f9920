package dev.jobs.spring.autoconfigure.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.jobs.Job;
import dev.jobs.JobClient;
import dev.jobs.assembly.EngineHealth.State;
import dev.jobs.assembly.JobEngine;
import dev.jobs.assembly.JobsAdmin;
import dev.jobs.embeddedredis.EmbeddedRedis;
import dev.jobs.spring.autoconfigure.JobsContext;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.context.runner.ContextConsumer;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.data.redis.core.StringRedisTemplate;

class JobEngineLifecycleIT {

    private static final long LONG = 30;

    private static EmbeddedRedis redis;

    private final ApplicationContextRunner runner = JobsContext.on(redis).withBean(Work.class);

    @BeforeAll
    static void startRedis() {
        redis = EmbeddedRedis.start();
    }

    @AfterAll
    static void stopRedis() {
        redis.close();
    }

    @BeforeEach
    void empty() {
        producing(context -> context.getBean(StringRedisTemplate.class)
                .execute(
                        connection -> {
                            connection.serverCommands().flushAll();
                            return null;
                        },
                        true));
    }

    @Test
    void aJobThatStillRunsAtTheDeadlineIsHandedBack() {
        runner.withPropertyValues("jobs.shutdown-timeout=0s").run(context -> {
            String jid = context.getBean(JobClient.class).enqueue(Work::untilInterrupted);
            Work work = context.getBean(Work.class);
            assertThat(work.started.await(LONG, TimeUnit.SECONDS)).isTrue();

            context.getSourceApplicationContext(ConfigurableApplicationContext.class)
                    .close();

            assertThat(work.interrupted.await(LONG, TimeUnit.SECONDS)).isTrue();
            producing(other -> {
                assertThat(other.getBean(StringRedisTemplate.class).opsForList().range("queue:default", 0, -1))
                        .singleElement()
                        .asString()
                        .contains(jid);
                assertThat(other.getBean(JobsAdmin.class).stats().books().conservationError())
                        .isZero();
                assertThat(other.getBean(JobsAdmin.class).processes().all()).isEmpty();
            });
        });
    }

    /** As Spring 6 does when something fails behind the start. */
    @Test
    void theEngineStopsWithItsBeanIfNothingHasStoppedIt() {
        runner.run(context -> {
            JobEngine engine = context.getBean(JobEngine.class);
            assertThat(engine.health().state()).isEqualTo(State.RUNNING);

            context.getSourceApplicationContext(ConfigurableApplicationContext.class)
                    .getBeanFactory()
                    .destroySingletons();

            assertThat(engine.health().state()).isEqualTo(State.STOPPED);
        });
    }

    @Test
    void aRunningJobMayEndInsideTheDeadlineWhateverTimeOtherPhasesGet() {
        runner.withBean(LaterPhase.class)
                .withPropertyValues("spring.lifecycle.timeout-per-shutdown-phase=100ms")
                .run(context -> {
                    Work work = context.getBean(Work.class);
                    work.laterPhase = context.getBean(LaterPhase.class).stopped;
                    context.getBean(JobClient.class).enqueue(Work::untilLaterPhase);
                    assertThat(work.started.await(LONG, TimeUnit.SECONDS)).isTrue();

                    context.getSourceApplicationContext(ConfigurableApplicationContext.class)
                            .close();

                    assertThat(work.events).containsExactly("later phase came: false");
                    producing(other -> assertThat(
                                    other.getBean(JobsAdmin.class).stats().processed())
                            .isEqualTo(1));
                });
    }

    @Test
    void aClosingContextTakesNoMoreJobsBeforeAnythingStops() {
        runner.withBean(EarlierPhase.class).run(context -> {
            EarlierPhase earlier = context.getBean(EarlierPhase.class);
            JobEngine engine = context.getBean(JobEngine.class);

            context.getSourceApplicationContext(ConfigurableApplicationContext.class)
                    .close();

            assertThat(earlier.states).containsExactly(State.QUIET);
            assertThat(engine.health().state()).isEqualTo(State.STOPPED);
        });
    }

    @Test
    void theEndOfAChildContextChangesNothing() {
        runner.run(context -> {
            GenericApplicationContext child = new GenericApplicationContext(context.getSourceApplicationContext());
            child.refresh();

            child.close();

            assertThat(context.getBean(JobEngine.class).health().state()).isEqualTo(State.RUNNING);
        });
    }

    @Test
    @EnabledForJreRange(min = JRE.JAVA_21)
    void jobsRunOnVirtualThreadsWhereTheApplicationWantsThem() {
        runner.withPropertyValues("spring.threads.virtual.enabled=true", "jobs.concurrency=2000")
                .run(context -> {
                    context.getBean(JobClient.class).enqueue(Work::thread);

                    await().untilAsserted(() ->
                            assertThat(context.getBean(Work.class).events).containsExactly("virtual: true"));
                });
    }

    @Test
    void aStopFromOutsideWaitsForItsEnd() {
        runner.run(context -> {
            JobEngineLifecycle lifecycle = context.getBean(JobEngineLifecycle.class);
            assertThat(lifecycle.isRunning()).isTrue();

            lifecycle.stop();

            assertThat(lifecycle.isRunning()).isFalse();
            assertThat(context.getBean(JobEngine.class).health().state()).isEqualTo(State.STOPPED);
        });
    }

    private void producing(ContextConsumer<AssertableApplicationContext> with) {
        runner.withPropertyValues("jobs.worker.enabled=false").run(with);
    }

    static class Work {

        final CountDownLatch started = new CountDownLatch(1);
        final CountDownLatch interrupted = new CountDownLatch(1);
        final List<String> events = new CopyOnWriteArrayList<>();
        volatile CountDownLatch laterPhase = new CountDownLatch(1);

        @Job
        void once(String event) {
            events.add(event);
        }

        @Job
        void thread() throws ReflectiveOperationException {
            events.add("virtual: " + Thread.class.getMethod("isVirtual").invoke(Thread.currentThread()));
        }

        @Job
        void untilInterrupted() throws InterruptedException {
            started.countDown();
            try {
                new CountDownLatch(1).await();
            } catch (InterruptedException e) {
                interrupted.countDown();
                throw e;
            }
        }

        @Job
        void untilLaterPhase() throws InterruptedException {
            started.countDown();
            events.add("later phase came: " + laterPhase.await(1, TimeUnit.SECONDS));
        }
    }

    static class LaterPhase implements SmartLifecycle {

        final CountDownLatch stopped = new CountDownLatch(1);

        @Override
        public void start() {}

        @Override
        public void stop() {
            stopped.countDown();
        }

        @Override
        public boolean isRunning() {
            return stopped.getCount() > 0;
        }

        @Override
        public int getPhase() {
            return 1;
        }
    }

    static class EarlierPhase implements SmartLifecycle {

        final List<State> states = new CopyOnWriteArrayList<>();
        private final JobEngine engine;
        private volatile boolean running;

        EarlierPhase(JobEngine engine) {
            this.engine = engine;
        }

        @Override
        public void start() {
            running = true;
        }

        @Override
        public void stop() {
            states.add(engine.health().state());
            running = false;
        }

        @Override
        public boolean isRunning() {
            return running;
        }
    }
}
