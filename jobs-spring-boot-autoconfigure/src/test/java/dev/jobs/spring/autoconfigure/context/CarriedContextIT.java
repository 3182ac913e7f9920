package dev.jobs.spring.autoconfigure.context;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.jobs.Job;
import dev.jobs.JobCall;
import dev.jobs.JobClient;
import dev.jobs.JobContext;
import dev.jobs.JobDefinitionException;
import dev.jobs.JobErrorHandler;
import dev.jobs.JobListener;
import dev.jobs.Payload;
import dev.jobs.RetryPolicy;
import dev.jobs.batches.BatchEvent;
import dev.jobs.batches.Batches;
import dev.jobs.embeddedredis.EmbeddedRedis;
import dev.jobs.spring.autoconfigure.JobsContext;
import io.micrometer.context.ThreadLocalAccessor;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.MDC;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.i18n.LocaleContextHolder;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.data.redis.core.StringRedisTemplate;

/** What jobs take along from the thread that enqueues them. */
class CarriedContextIT {

    private static final Duration LONG = Duration.ofSeconds(60);

    private final Tenant tenant = new Tenant();
    private final Seen seen = new Seen(tenant);
    private EmbeddedRedis redis;
    private ApplicationContextRunner runner;

    @BeforeEach
    void start() {
        redis = EmbeddedRedis.start();
        runner = JobsContext.withSoonRetries(redis)
                .withConfiguration(AutoConfigurations.of(JobsContextAutoConfiguration.class))
                .withPropertyValues("jobs.concurrency=1")
                .withBean(
                        RetryPolicy.class,
                        () -> (job, count, failure) -> RetryPolicy.Decision.retryIn(Duration.ofSeconds(1)))
                .withBean(Seen.class, () -> seen)
                .withBean(Tenant.class, () -> tenant);
    }

    @AfterEach
    void stop() {
        redis.close();
        MDC.clear();
        LocaleContextHolder.resetLocaleContext();
        tenant.setValue();
    }

    private ApplicationContextRunner carryingAll() {
        return runner.withPropertyValues(
                "jobs.context.mdc-keys=request,user", "jobs.context.locale=true", "jobs.context.accessors=tenant");
    }

    /** A request of one user of one tenant, with a language and an id. */
    private void request() {
        MDC.put("request", "r-1");
        MDC.put("user", "ann");
        MDC.put("secret", "s");
        LocaleContextHolder.setLocale(Locale.GERMANY);
        tenant.setValue("acme");
    }

    private static @Nullable Object stored(ApplicationContext context) {
        String job = context.getBean(StringRedisTemplate.class).opsForList().index("queue:default", 0);
        return Payload.parse(job.getBytes(StandardCharsets.UTF_8)).get("ctx");
    }

    private void awaitSeen(int count) {
        await().atMost(LONG).until(() -> seen.finished.size() >= count);
    }

    @Test
    void aJobTakesTheNamedValuesAlongInOneMember() {
        carryingAll().withPropertyValues("jobs.worker.enabled=false").run(context -> {
            request();
            context.getBean(JobClient.class).enqueue(Seen::look, 1);

            assertThat(stored(context))
                    .isEqualTo(Map.of(
                            "locale",
                            "de-DE",
                            "mdc",
                            Map.of("request", "r-1", "user", "ann"),
                            "values",
                            Map.of("tenant", "acme")));
        });
    }

    @Test
    void eachAttemptHasThemAndTheNextJobOfTheThreadDoesNot() {
        carryingAll().run(context -> {
            JobClient jobs = context.getBean(JobClient.class);
            request();
            jobs.enqueue(Seen::failOnce, 1);
            awaitSeen(2);
            MDC.clear();
            LocaleContextHolder.resetLocaleContext();
            tenant.setValue();
            jobs.enqueue(Seen::look, 2);
            awaitSeen(3);
        });

        assertThat(seen.performed).containsExactly("r-1 ann de_DE acme", "r-1 ann de_DE acme", "null null none null");
        assertThat(seen.finished).isEqualTo(seen.performed);
    }

    @Test
    void aJobThatIsGivenUpHasThemOnBothThreads() {
        carryingAll()
                .withPropertyValues("jobs.timeout.grace=0s")
                .withBean(JobErrorHandler.class, () -> seen::failed)
                .run(context -> {
                    JobClient jobs = context.getBean(JobClient.class);
                    request();
                    jobs.retry(0).enqueue(Seen::hang, 1);
                    awaitSeen(1);
                    MDC.clear();
                    LocaleContextHolder.resetLocaleContext();
                    tenant.setValue();
                    jobs.enqueue(Seen::look, 2);
                    awaitSeen(2);
                    seen.goOn.release();
                    await().atMost(LONG).until(() -> seen.performed.size() == 2);
                });

        assertThat(seen.errors).containsExactly("r-1 ann de_DE acme");
        assertThat(seen.finished).containsExactly("r-1 ann de_DE acme", "null null none null");
        assertThat(seen.performed).containsExactly("null null none null", "r-1 ann de_DE acme");
    }

    @Test
    void theCallbackOfABatchTakesAlongWhatTheBatchDoes() {
        carryingAll().run(context -> {
            request();
            context.getBean(Batches.class).create("sale", batch -> batch.add(JobCall.of(Seen::look, 1))
                    .on(BatchEvent.FINISHED, JobCall.of(Seen::look, 2)));
            awaitSeen(2);
        });

        assertThat(seen.performed).containsExactly("r-1 ann de_DE acme", "r-1 ann de_DE acme");
    }

    @Test
    void aThreadWithoutValuesLeavesNoMember() {
        carryingAll().withPropertyValues("jobs.worker.enabled=false").run(context -> {
            context.getBean(JobClient.class).enqueue(Seen::look, 1);

            assertThat(stored(context)).isNull();
        });
    }

    @Test
    void withoutPropertiesJobsTakeNothingAlong() {
        runner.withPropertyValues("jobs.worker.enabled=false").run(context -> {
            request();
            context.getBean(JobClient.class).enqueue(Seen::look, 1);

            assertThat(context).doesNotHaveBean(CarriedContext.class);
            assertThat(stored(context)).isNull();
        });
    }

    @Test
    void aValueThatIsTooLongOrNotOnOneLineStaysBehind() {
        carryingAll().withPropertyValues("jobs.worker.enabled=false").run(context -> {
            MDC.put("request", "r".repeat(201));
            MDC.put("user", "ann\n12:00 INFO all is well");
            tenant.setValue("a".repeat(200));
            context.getBean(JobClient.class).enqueue(Seen::look, 1);

            assertThat(stored(context)).isEqualTo(Map.of("values", Map.of("tenant", "a".repeat(200))));
        });
    }

    @Test
    void aWorkerRestoresOnlyTextsThatItsOwnPropertiesName() {
        runner.withPropertyValues("jobs.context.mdc-keys=request,user", "jobs.context.locale=true")
                .run(context -> {
                    String job = "{\"class\":\"Seen.look\",\"args\":[1],\"jid\":\"0123456789abcdef01234567\",\"ctx\":";
                    for (String member : List.of(
                            "{\"mdc\":{\"request\":\"r-2\",\"user\":7,\"secret\":\"s\"},\"values\":{\"tenant\":\"acme\"}}}",
                            "{\"mdc\":{\"request\":\"r\\n2\",\"user\":\"" + "u".repeat(201) + "\"}}}",
                            "{\"mdc\":\"request\",\"locale\":\"no language\"}}",
                            "[\"mdc\"]}")) {
                        context.getBean(StringRedisTemplate.class).opsForList().leftPush("queue:default", job + member);
                    }
                    awaitSeen(4);
                });

        assertThat(seen.performed)
                .containsExactlyInAnyOrder(
                        "r-2 null none null", "null null none null", "null null none null", "null null none null");
        assertThat(seen.secrets).containsOnly("null");
    }

    @Test
    void aJobWhoseTenantCantBeRestoredFailsInsteadOfRunning() {
        tenant.refused = "acme";
        carryingAll().run(context -> {
            request();
            context.getBean(JobClient.class).enqueue(Seen::look, 1);
            awaitSeen(1);
        });

        assertThat(seen.performed).isEmpty();
        assertThat(seen.failures)
                .containsOnly("Could not restore values.tenant, which the job took along from its caller");
    }

    @Test
    void anAccessorThatIsMissingIsReportedAtStart() {
        runner.withPropertyValues("jobs.worker.enabled=false", "jobs.context.accessors=tenant,region")
                .run(
                        context -> assertThat(NestedExceptionUtils.getMostSpecificCause(context.getStartupFailure()))
                                .isInstanceOf(JobDefinitionException.class)
                                .hasMessage(
                                        "The property jobs.context.accessors names 'region', and there is no ThreadLocalAccessor with this key"));
    }

    @Test
    void anAccessorThatCannotRemoveItsValueIsReportedAtStart() {
        runner.withBean(Region.class)
                .withPropertyValues("jobs.worker.enabled=false", "jobs.context.accessors=tenant,region")
                .run(
                        context -> assertThat(NestedExceptionUtils.getMostSpecificCause(context.getStartupFailure()))
                                .isInstanceOf(JobDefinitionException.class)
                                .hasMessageStartingWith(
                                        "The property jobs.context.accessors names 'region', and its ThreadLocalAccessor can't remove the value from a thread"));
    }

    @Test
    void aValueThatCannotBeRemovedKeepsNoOther() {
        carryingAll().run(context -> {
            JobClient jobs = context.getBean(JobClient.class);
            request();
            tenant.stays = true;
            jobs.enqueue(Seen::look, 1);
            awaitSeen(1);
            MDC.clear();
            LocaleContextHolder.resetLocaleContext();
            tenant.setValue("none");
            jobs.enqueue(Seen::look, 2);
            awaitSeen(2);
            tenant.stays = false;
        });

        assertThat(seen.performed).containsExactly("r-1 ann de_DE acme", "null null none none");
    }

    /** Has only what an accessor must have. */
    static final class Region implements ThreadLocalAccessor<String> {

        @Override
        public Object key() {
            return "region";
        }

        @Override
        public @Nullable String getValue() {
            return null;
        }

        @Override
        public void setValue(String value) {}
    }

    /** The tenant of the current thread. */
    static final class Tenant implements ThreadLocalAccessor<String> {

        private final ThreadLocal<@Nullable String> current = new ThreadLocal<>();
        private volatile @Nullable String refused;
        private volatile boolean stays;

        @Override
        public Object key() {
            return "tenant";
        }

        @Override
        public @Nullable String getValue() {
            return current.get();
        }

        @Override
        public void setValue(String value) {
            if (value.equals(refused) && Thread.currentThread().getName().startsWith("jobs-")) {
                throw new IllegalStateException("There is no tenant " + value);
            }
            current.set(value);
        }

        @Override
        public void setValue() {
            if (stays) {
                throw new IllegalStateException("It stays");
            }
            current.remove();
        }
    }

    /** What jobs and a listener see. */
    static final class Seen implements JobListener {

        private final List<String> performed = new CopyOnWriteArrayList<>();
        private final List<String> finished = new CopyOnWriteArrayList<>();
        private final List<String> errors = new CopyOnWriteArrayList<>();
        private final Semaphore goOn = new Semaphore(0);
        private final List<String> secrets = new CopyOnWriteArrayList<>();
        private final List<String> failures = new CopyOnWriteArrayList<>();
        private final Tenant tenant;

        Seen(Tenant tenant) {
            this.tenant = tenant;
        }

        private String now() {
            Locale locale = LocaleContextHolder.getLocaleContext() == null ? null : LocaleContextHolder.getLocale();
            return MDC.get("request") + " " + MDC.get("user") + " " + (locale == null ? "none" : locale) + " "
                    + tenant.getValue();
        }

        @Job
        void look(int number) {
            performed.add(now());
            secrets.add(String.valueOf(MDC.get("secret")));
        }

        @Job
        void failOnce(int number, JobContext job) {
            performed.add(now());
            if (job.attempt() == 1) {
                throw new IllegalStateException("once");
            }
        }

        /** Ignores that it is interrupted. */
        @Job(timeout = "100ms")
        void hang(int number) {
            goOn.acquireUninterruptibly();
            performed.add(now());
        }

        void failed(Throwable error, String context, @Nullable Payload payload) {
            errors.add(now());
        }

        @Override
        public void finished(JobContext job, Ending ending, Duration took, @Nullable Throwable failure) {
            finished.add(now());
            if (failure != null) {
                failures.add(failure.getMessage());
            }
        }
    }
}
