package dev.jobs.modulith;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.jobs.EnqueueMiddleware;
import dev.jobs.InvalidJobException;
import dev.jobs.modulith.shop.Shop;
import dev.jobs.modulith.shop.orders.OrderCancelled;
import dev.jobs.modulith.shop.orders.OrderPlaced;
import dev.jobs.modulith.shop.orders.Orders;
import dev.jobs.modulith.shop.shipping.Shipping;
import java.time.Duration;
import java.util.Collection;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.modulith.events.CompletedEventPublications;
import org.springframework.modulith.events.EventExternalized;
import org.springframework.modulith.events.IncompleteEventPublications;
import org.springframework.modulith.test.EnableScenarios;
import org.springframework.modulith.test.Scenario;
import org.springframework.transaction.support.TransactionTemplate;

/** Events of a modular application, with its publications in a table. */
@SpringBootTest(
        classes = {Shop.class, ModulithIT.Refusing.class},
        properties = {
            "spring.modulith.events.jdbc.schema-initialization.enabled=true",
            "spring.datasource.url=jdbc:h2:mem:modulith"
        })
@EnableScenarios
class ModulithIT {

    private static final Duration LONG = Duration.ofSeconds(60);

    @TestConfiguration(proxyBeanMethods = false)
    static class Refusing {

        final AtomicBoolean refuses = new AtomicBoolean();
        final AtomicInteger refused = new AtomicInteger();

        /** Stands for a Redis that is away. */
        @Bean
        EnqueueMiddleware refusing() {
            return (payload, next) -> {
                if (refuses.get()) {
                    refused.incrementAndGet();
                    throw new InvalidJobException("Not now");
                }
                return next.proceed(payload);
            };
        }
    }

    @Autowired
    private Orders orders;

    @Autowired
    private Shipping shipping;

    @Autowired
    private Refusing redis;

    @Autowired
    private TransactionTemplate transactions;

    @Autowired
    private CompletedEventPublications completed;

    @Autowired
    private IncompleteEventPublications incomplete;

    @Autowired
    private StringRedisTemplate texts;

    @BeforeEach
    void nothingIsDone() {
        shipping.done.clear();
        completed.deletePublications(event -> true);
    }

    private Collection<?> published() {
        return completed.findAll();
    }

    @Test
    void anEventBecomesAJobAndItsPublicationIsComplete(Scenario scenario) {
        scenario.stimulate(() -> orders.place(7, "ann"))
                .andWaitForEventOfType(EventExternalized.class)
                .matching(event -> event.getEvent() instanceof OrderPlaced)
                .toArriveAndVerify(event -> assertThat(event.getBrokerResult())
                        .asString()
                        .as("the jid")
                        .hasSize(24));

        await().atMost(LONG).until(() -> !shipping.done.isEmpty());
        assertThat(shipping.done).containsExactly("OrderPlaced[order=7, customer=ann] ann");
        await().atMost(LONG).until(() -> published().size() == 1);
    }

    @Test
    void whatIsRolledBackEnqueuesNothing() {
        transactions.executeWithoutResult(status -> {
            orders.place(8, "bob");
            status.setRollbackOnly();
        });
        orders.place(9, "ann");

        await().atMost(LONG).until(() -> published().size() == 1);
        await().atMost(LONG).until(() -> !shipping.done.isEmpty());
        assertThat(shipping.done).containsExactly("OrderPlaced[order=9, customer=ann] ann");
    }

    @Test
    void anEventThatCouldNotBeEnqueuedIsSubmittedAgain() {
        redis.refuses.set(true);
        orders.cancel(10);
        try {
            await().atMost(LONG).until(() -> redis.refused.get() > 0);
            assertThat(published()).isEmpty();
            assertThat(shipping.done).isEmpty();
        } finally {
            redis.refuses.set(false);
        }

        await().atMost(LONG).untilAsserted(() -> {
            incomplete.resubmitIncompletePublications(publication -> true);
            assertThat(published()).hasSize(1);
        });
        await().atMost(LONG).until(() -> !shipping.done.isEmpty());
        assertThat(shipping.done).contains("OrderCancelled[order=10]");
    }

    /** Its job waits already: that is what the second publication wanted. */
    @Test
    void anEventWhoseUniqueJobWaitsIsPublishedToo() {
        texts.opsForSet().add("paused", "default");
        try {
            orders.cancel(11);
            orders.cancel(11);
            await().atMost(LONG).until(() -> published().size() == 2);
        } finally {
            texts.opsForSet().remove("paused", "default");
        }

        await().atMost(LONG).until(() -> !shipping.done.isEmpty());
        assertThat(shipping.done).containsExactly(new OrderCancelled(11).toString());
    }
}
