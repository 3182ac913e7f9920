package dev.jobs.spring.autoconfigure.transactions;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.jobs.InvalidJobException;
import dev.jobs.Job;
import dev.jobs.JobCall;
import dev.jobs.JobClient;
import dev.jobs.assembly.RedisJobClient;
import dev.jobs.embeddedredis.EmbeddedRedis;
import dev.jobs.spring.ReactiveJobClient;
import dev.jobs.spring.autoconfigure.JobsContext;
import dev.jobs.spring.autoconfigure.reactive.JobsReactiveAutoConfiguration;
import dev.jobs.transactions.Outbox;
import io.r2dbc.h2.H2ConnectionFactory;
import io.r2dbc.spi.ConnectionFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.r2dbc.connection.R2dbcTransactionManager;
import org.springframework.transaction.ReactiveTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.reactive.TransactionalOperator;
import org.springframework.transaction.support.DefaultTransactionDefinition;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** Jobs of reactive code, and of its transactions, on R2DBC. */
@ExtendWith(OutputCaptureExtension.class)
@Timeout(60)
class ReactiveTransactionsIT {

    @AutoClose
    private static final EmbeddedRedis redis = EmbeddedRedis.start();

    private final ApplicationContextRunner runner = JobsContext.on(redis)
            .withConfiguration(AutoConfigurations.of(JobsReactiveAutoConfiguration.class))
            .withPropertyValues("jobs.worker.enabled=false")
            .withUserConfiguration(R2dbc.class);

    @Configuration(proxyBeanMethods = false)
    static class R2dbc {

        @Bean
        ConnectionFactory connectionFactory() {
            return H2ConnectionFactory.inMemory("reactive");
        }

        @Bean
        ReactiveTransactionManager transactionManager(ConnectionFactory database) {
            return new R2dbcTransactionManager(database);
        }

        @Bean
        Emails emails() {
            return new Emails();
        }
    }

    static class Emails {

        @Job("welcome")
        public void welcome(String address, int count) {}

        @Job("remind")
        public void remind(int number) {}
    }

    private static final class App {

        final ApplicationContext context;
        final ReactiveJobClient jobs;

        App(ApplicationContext context) {
            this.context = context;
            this.jobs = context.getBean(ReactiveJobClient.class);
        }

        TransactionalOperator transaction(int propagation) {
            return TransactionalOperator.create(
                    context.getBean(ReactiveTransactionManager.class), new DefaultTransactionDefinition(propagation));
        }

        TransactionalOperator transaction() {
            return transaction(TransactionDefinition.PROPAGATION_REQUIRED);
        }

        /** The jids in it, from the first. */
        List<String> queue() {
            context.getBean(RedisJobClient.class).awaitCommitted();
            List<String> payloads =
                    context.getBean(StringRedisTemplate.class).opsForList().range("queue:default", 0, -1);
            return IntStream.range(0, payloads.size())
                    .mapToObj(i -> payloads.get(payloads.size() - 1 - i))
                    .map(payload -> payload.replaceAll(".*\"jid\":\"(\\w+)\".*", "$1"))
                    .toList();
        }
    }

    private void with(Consumer<App> test) {
        with(runner, test);
    }

    private static void with(ApplicationContextRunner some, Consumer<App> test) {
        some.run(context -> {
            assertThat(context).hasNotFailed();
            test.accept(new App(context));
        });
    }

    @BeforeEach
    void empty() {
        with(app -> app.context
                .getBean(StringRedisTemplate.class)
                .delete(app.context.getBean(StringRedisTemplate.class).keys("*")));
    }

    @Test
    void jobsFollowTheCommit() {
        with(app -> {
            List<String> jids = app.transaction()
                    .transactional(app.jobs
                            .enqueue(JobCall.of(Emails::welcome, "bob", 5))
                            .concatWith(app.jobs.enqueue("Ruby", 7))
                            .doOnNext(jid -> assertThat(app.queue()).isEmpty()))
                    .collectList()
                    .block();

            assertThat(app.queue()).hasSize(2).isEqualTo(jids);
        });
    }

    @Test
    void aRollbackDropsThem() {
        with(app -> {
            Mono<String> failing = app.transaction()
                    .transactional(app.jobs.enqueue("A").then(Mono.error(new IllegalStateException("wanted"))));

            assertThatThrownBy(failing::block).hasMessage("wanted");
            assertThat(app.queue()).isEmpty();
        });
    }

    @Test
    void anInnerTransactionHasItsOwnJobs() {
        with(app -> {
            Mono<String> inner = app.transaction(TransactionDefinition.PROPAGATION_REQUIRES_NEW)
                    .transactional(app.jobs.enqueue("Inner"));
            Mono<String> outer = app.transaction()
                    .transactional(app.jobs
                            .enqueue("Before")
                            .then(inner)
                            .doOnNext(jid -> assertThat(app.queue()).containsExactly(jid))
                            .then(app.jobs.enqueue("After"))
                            .then(Mono.error(new IllegalStateException("wanted"))));

            assertThatThrownBy(outer::block).hasMessage("wanted");
            assertThat(app.queue()).hasSize(1);
        });
    }

    @Test
    void callsOfOneTransactionMayComeSideBySide() {
        with(app -> {
            List<String> jids = app.transaction()
                    .transactional(Flux.range(0, 200).flatMap(i -> app.jobs.enqueue("A", i)))
                    .collectList()
                    .block();

            assertThat(app.queue()).hasSize(200).containsExactlyInAnyOrderElementsOf(jids);
        });
    }

    /** Some get their turn before the rollback, some after it. */
    @Test
    void callsThatWaitForTheirTurnDuringARollbackEnqueueNothing() {
        with(app -> {
            CountDownLatch begun = new CountDownLatch(1);
            CountDownLatch turn = new CountDownLatch(1);
            List<CompletableFuture<String>> calls = new ArrayList<>();
            Mono<String> branches = Mono.deferContextual(context -> {
                Mono<String> first = app.jobs.call(client -> {
                    begun.countDown();
                    awaitQuietly(turn);
                    return client.enqueue("A");
                });
                calls.add(first.contextWrite(context).toFuture());
                awaitQuietly(begun);
                for (int i = 0; i < 8; i++) {
                    calls.add(app.jobs.enqueue("B", i).contextWrite(context).toFuture());
                }
                await().until(() -> blockedThreads("jobs-client-reactive-") == 8);
                return Mono.error(new IllegalStateException("wanted"));
            });
            CompletableFuture<String> transaction =
                    app.transaction().transactional(branches).toFuture();
            await().until(() -> blockedThreads("jobs-client-reactive-commit-") == 1);
            turn.countDown();

            assertThatThrownBy(transaction::join).hasRootCauseMessage("wanted");
            calls.forEach(call -> assertThat(call.handle((jid, failure) -> failure))
                    .succeedsWithin(Duration.ofSeconds(30))
                    .satisfiesAnyOf(failure -> assertThat(failure).isNull(), failure -> assertThat(failure)
                            .isInstanceOf(InvalidJobException.class)
                            .hasMessageContaining("was not committed")));
            assertThat(app.queue()).isEmpty();
        });
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static long blockedThreads(String name) {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().matches(name + "\\d+") && thread.getState() == Thread.State.BLOCKED)
                .count();
    }

    @Test
    void outsideATransactionJobsAreStoredByTheCall() {
        with(app -> {
            String jid = app.jobs
                    .enqueue(JobCall.of(Emails::welcome, "bob", 5).tags("a"))
                    .block();
            assertThat(app.queue()).containsExactly(jid);
            assertThat(app.jobs.push(Map.of("class", "B", "args", List.of())).block())
                    .isNotNull();
            app.jobs.queue("other").in(Duration.ofMinutes(5)).enqueue("C").block();
            StringRedisTemplate redis = app.context.getBean(StringRedisTemplate.class);
            assertThat(redis.opsForZSet().size("schedule")).isOne();
            assertThat(app.transaction()
                            .transactional(app.jobs.now().enqueue("D").doOnNext(stored -> assertThat(app.queue())
                                    .contains(stored)))
                            .block())
                    .isNotNull();
            assertThat(app.jobs.call(client -> client.cancel(jid)).block()).isNotNull();
        });
    }

    @Test
    void bulkCallsKeepTheOrder() {
        with(app -> {
            List<String> jids = app.jobs
                    .enqueueAll(Emails::remind, Flux.range(0, 2_500))
                    .concatWith(app.jobs.enqueueAll("Ruby", Flux.just(List.of(1), List.of(2))))
                    .collectList()
                    .block();

            assertThat(app.queue()).hasSize(2_502).isEqualTo(jids);
        });
    }

    @Test
    void aJobThatIsNotStoredHasNoJid() {
        with(app -> {
            ReactiveJobClient once = app.jobs.with(client -> client.unique("one"));
            assertThat(once.enqueue("A").block()).isNotNull();
            assertThat(once.enqueue("A").block()).isNull();
            assertThatThrownBy(() -> app.jobs.queue("not a queue").enqueue("A").block())
                    .isInstanceOf(InvalidJobException.class);
        });
    }

    @Test
    void anOutboxRefusesReactiveTransactions() {
        Outbox outbox = new Outbox() {
            @Override
            public boolean isReady() {
                return true;
            }

            @Override
            public void keep(List<Entry> jobs) {}

            @Override
            public void keepBatch(String id, byte[] commit) {}

            @Override
            public void committed() {}
        };
        with(runner.withBean(Outbox.class, () -> outbox).withPropertyValues("jobs.transactions=outbox"), app -> {
            Mono<String> refused = app.transaction().transactional(app.jobs.enqueue("A"));
            assertThatThrownBy(refused::block)
                    .isInstanceOf(InvalidJobException.class)
                    .hasMessageContaining("can't be kept in the outbox");
            app.transaction().transactional(app.jobs.now().enqueue("A")).block();
            app.jobs.enqueue("A").block();
            assertThat(app.queue()).hasSize(2);
        });
    }

    @Test
    void anEventLoopIsWarnedOnceUnlessItUsesTheReactiveClient(CapturedOutput output) {
        with(app -> {
            Mono.defer(() -> app.jobs.enqueue("A"))
                    .subscribeOn(Schedulers.parallel())
                    .block();
            assertThat(output).doesNotContain("must not block");

            JobClient blocking = app.context.getBean(JobClient.class);
            blocking.enqueue("A");
            Mono<String> onEventLoop =
                    Mono.fromCallable(() -> blocking.enqueue("A")).subscribeOn(Schedulers.parallel());
            assertThat(onEventLoop.block()).isNotNull();
            onEventLoop.block();
            assertThat(output.toString().split("must not block", -1)).hasSize(2);
            assertThat(output).contains("WARN", "(parallel-", "Use ReactiveJobClient there");
        });
    }
}
