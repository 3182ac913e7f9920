package dev.jobs.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.jobs.Job;
import dev.jobs.JobCall;
import dev.jobs.JobClient;
import dev.jobs.JobContext;
import dev.jobs.JobListener.Ending;
import dev.jobs.JobListener.EngineState;
import dev.jobs.JobMiddleware;
import dev.jobs.assembly.JobsAdmin;
import dev.jobs.batches.BatchEvent;
import dev.jobs.batches.Batches;
import dev.jobs.iterations.Iteration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.slf4j.MDC;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.event.EventListener;
import org.springframework.data.redis.core.StringRedisTemplate;

/** A whole application, as users write it, on an embedded Redis. */
@SpringBootTest(
        webEnvironment = WebEnvironment.NONE,
        properties = {
            "jobs.retry.max-attempts=0",
            "spring.jackson.property-naming-strategy=SNAKE_CASE",
            "spring.jackson.serialization.indent-output=true",
            "spring.jackson.datatype.datetime.write-dates-as-timestamps=true",
            "spring.jackson.default-property-inclusion=non_null"
        })
class JobsApplicationIT {

    private static final long LONG = 30;

    @Autowired
    private JobClient jobs;

    @Autowired
    private Batches batches;

    @Autowired
    private JobsAdmin admin;

    @Autowired
    private Shop shop;

    @Autowired
    private Listening listening;

    @Autowired
    private StringRedisTemplate redis;

    @Test
    void aMethodReferenceRuns() throws Exception {
        String jid = jobs.enqueue(Shop::welcome, "bob@example.com", 5);

        assertThat(shop.calls.poll(LONG, TimeUnit.SECONDS)).isEqualTo("welcome bob@example.com 5 " + jid);
    }

    @Test
    @Tag("sidekiq-18")
    void anIterationIsWorkedThrough() throws Exception {
        jobs.enqueue(Shop::visit, List.of("ada", "bob"));

        assertThat(shop.visits.poll(LONG, TimeUnit.SECONDS)).isEqualTo("ada");
        assertThat(shop.visits.poll(LONG, TimeUnit.SECONDS)).isEqualTo("bob");
        assertThat(shop.visits.poll(LONG, TimeUnit.SECONDS)).isEqualTo("all of [ada, bob]");
    }

    @Test
    @Tag("sidekiq-22")
    void logLinesOfAJobCarryWhatItIs() throws Exception {
        String jid = jobs.enqueue(Shop::context);

        assertThat(shop.contexts.poll(LONG, TimeUnit.SECONDS))
                .containsEntry("jid", jid)
                .containsEntry("job", "Shop.context")
                .containsEntry("queue", "default");
    }

    @Test
    void theApplicationsJacksonDoesNotChangeWhatIsStored() {
        Order order = new Order("A1", null, Instant.parse("2026-01-02T03:04:05Z"), 2);

        String jid = jobs.queue("elsewhere").enqueue(Shop::order, order);

        assertThat(redis.opsForList().index("queue:elsewhere", 0))
                .contains(
                        "\"args\":[{\"orderNumber\":\"A1\",\"coupon\":null,\"placedAt\":\"2026-01-02T03:04:05Z\",\"count\":2}]")
                .contains("\"jid\":\"" + jid + "\"")
                .doesNotContain("\n");
    }

    @Test
    void argumentsComeBackAsTheyWere() throws Exception {
        Order order = new Order("A1", null, Instant.parse("2026-01-02T03:04:05Z"), 2);

        jobs.enqueue(Shop::order, order);

        assertThat(shop.orders.poll(LONG, TimeUnit.SECONDS)).isEqualTo(order);
    }

    @Test
    void listenersLearnHowJobsEndAndThatTheWorkerStarted() throws Exception {
        String jid = jobs.enqueue(Shop::fail, "no luck");

        await().untilAsserted(() -> assertThat(listening.finished).anySatisfy(event -> {
            assertThat(event.jid()).isEqualTo(jid);
            assertThat(event.name()).isEqualTo("Shop.fail");
            assertThat(event.queue()).isEqualTo("default");
            assertThat(event.attempt()).isEqualTo(1);
            assertThat(event.ending()).isEqualTo(Ending.DEAD);
            assertThat(event.failure()).hasMessage("no luck");
        }));
        await().untilAsserted(() -> assertThat(listening.died).anySatisfy(event -> {
            assertThat(event.jid()).isEqualTo(jid);
            assertThat(event.failure()).hasMessage("no luck");
        }));
        assertThat(listening.states).extracting(EngineStateChangedEvent::state).contains(EngineState.STARTED);
        await().untilAsserted(() -> assertThat(admin.stats().dead()).isPositive());
    }

    @Test
    void listenersLearnWhatBecameOfABatch() {
        String good = batches.create("good", batch -> batch.add(JobCall.of(Shop::context)));
        String bad = batches.create("bad", batch -> batch.add(JobCall.of(Shop::fail, "no luck")));

        await().untilAsserted(() -> {
            assertThat(listening.eventsOf(good))
                    .containsExactlyInAnyOrder(BatchEvent.ATTEMPTED, BatchEvent.FINISHED, BatchEvent.SUCCEEDED);
            assertThat(listening.eventsOf(bad))
                    .containsExactlyInAnyOrder(BatchEvent.ATTEMPTED, BatchEvent.DIED, BatchEvent.FINISHED);
        });
        assertThat(listening.batches)
                .filteredOn(event -> event.events().contains(BatchEvent.FINISHED)
                        && event.batch().id().equals(bad))
                .singleElement()
                .satisfies(event -> assertThat(event.batch().dead()).isEqualTo(1));
    }

    @Test
    void middlewareStandsAroundEachJob() throws Exception {
        jobs.enqueue(Shop::context);

        assertThat(shop.contexts.poll(LONG, TimeUnit.SECONDS)).containsEntry("tenant", "blue");
    }

    record Order(String orderNumber, String coupon, Instant placedAt, int count) {}

    static class Shop {

        final BlockingQueue<String> calls = new LinkedBlockingQueue<>();
        final BlockingQueue<Map<String, String>> contexts = new LinkedBlockingQueue<>();
        final BlockingQueue<String> visits = new LinkedBlockingQueue<>();
        final BlockingQueue<Order> orders = new LinkedBlockingQueue<>();

        @Job
        void welcome(String to, int visits, JobContext job) {
            calls.add("welcome " + to + " " + visits + " " + job.jid());
        }

        @Job
        Iteration<String> visit(List<String> customers) {
            return Iteration.over(customers).each(visits::add).onComplete(() -> visits.add("all of " + customers));
        }

        @Job
        void context() {
            contexts.add(MDC.getCopyOfContextMap());
        }

        @Job
        void order(Order order) {
            orders.add(order);
        }

        @Job
        void fail(String why) {
            throw new IllegalStateException(why);
        }
    }

    static class Listening {

        final List<JobFinishedEvent> finished = new CopyOnWriteArrayList<>();
        final List<JobDiedEvent> died = new CopyOnWriteArrayList<>();
        final List<BatchChangedEvent> batches = new CopyOnWriteArrayList<>();
        final List<EngineStateChangedEvent> states = new CopyOnWriteArrayList<>();

        @EventListener
        void finished(JobFinishedEvent event) {
            finished.add(event);
        }

        @EventListener
        void died(JobDiedEvent event) {
            died.add(event);
        }

        @EventListener
        void changed(BatchChangedEvent event) {
            batches.add(event);
        }

        List<BatchEvent> eventsOf(String batch) {
            return batches.stream()
                    .filter(event -> event.batch().id().equals(batch))
                    .flatMap(event -> event.events().stream())
                    .toList();
        }

        @EventListener
        void changed(EngineStateChangedEvent event) {
            states.add(event);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import({Shop.class, Listening.class})
    static class Application {

        @Bean
        JobMiddleware tenant() {
            return (job, next) -> {
                MDC.put("tenant", "blue");
                try {
                    next.proceed();
                } finally {
                    MDC.remove("tenant");
                }
            };
        }
    }
}
