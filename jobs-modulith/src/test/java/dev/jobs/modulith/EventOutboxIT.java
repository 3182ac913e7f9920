package dev.jobs.modulith;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.jobs.JobDefinitionException;
import dev.jobs.modulith.shop.Shop;
import dev.jobs.modulith.shop.orders.Orders;
import dev.jobs.modulith.shop.shipping.Shipping;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.support.TransactionTemplate;

/** Events as rows of the outbox. */
@ExtendWith(OutputCaptureExtension.class)
class EventOutboxIT {

    private static final String MODE = "spring.modulith.events.externalization.mode=outbox";

    private static ConfigurableApplicationContext start(String database, String... properties) {
        return new SpringApplicationBuilder(Shop.class)
                .web(WebApplicationType.NONE)
                .properties(properties)
                .properties(
                        MODE,
                        "spring.datasource.url=jdbc:h2:mem:" + database,
                        "spring.sql.init.schema-locations=classpath:dev/jobs/outbox/h2/R__jobs_outbox_001.sql",
                        "spring.modulith.events.jdbc.schema-initialization.enabled=true")
                .run();
    }

    @Test
    void theJobIsARowOfTheTransactionAndNoPublicationIsStored() {
        try (ConfigurableApplicationContext context = start("events", "jobs.transactions=outbox")) {
            Orders orders = context.getBean(Orders.class);
            JdbcTemplate database = context.getBean(JdbcTemplate.class);
            TransactionTemplate transactions = context.getBean(TransactionTemplate.class);
            Shipping shipping = context.getBean(Shipping.class);

            transactions.executeWithoutResult(status -> {
                orders.place(1, "ann");
                status.setRollbackOnly();
            });
            transactions.executeWithoutResult(status -> orders.place(2, "bob"));

            await().atMost(Duration.ofSeconds(60)).until(() -> !shipping.done.isEmpty());
            assertThat(shipping.done).containsExactly("OrderPlaced[order=2, customer=bob] bob");
            assertThat(database.queryForObject("select count(*) from event_publication", Integer.class))
                    .isZero();
        }
    }

    @Test
    void withoutAnOutboxOfJobsTheStartSaysWhatIsMissing(CapturedOutput output) {
        assertThatThrownBy(() -> start("none"))
                .rootCause()
                .isInstanceOf(JobDefinitionException.class)
                .hasMessageContaining(MODE.split("=")[0]);
        assertThat(output).contains("APPLICATION FAILED TO START", "Action:", "jobs-outbox-jdbc");
    }
}
