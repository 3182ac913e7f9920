package dev.jobs.sample;

import static dev.jobs.test.JobsAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jobs.JobCall;
import dev.jobs.sample.Order.Card;
import dev.jobs.sample.Order.Item;
import dev.jobs.sample.PaymentGateway.CardDeclinedException;
import dev.jobs.test.AutoConfigureJobs;
import dev.jobs.test.JobsMode;
import dev.jobs.test.TestClock;
import dev.jobs.test.TestJobs;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.webmvc.test.autoconfigure.AutoConfigureMockMvc;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.test.web.servlet.assertj.MockMvcTester;

/** The whole shop, whose data are in Redis, and its jobs in the test's hands. */
@SpringBootTest(properties = {"shop.demo-orders=0", "shop.review-after=3d", "shop.takes.charge=0"})
class CheckoutIT {

    private static final List<Item> ITEMS = List.of(new Item("CUP-01", 2));

    @Autowired
    private Checkout checkout;

    @Autowired
    private Orders orders;

    @Autowired
    private TestJobs jobs;

    @Nested
    @AutoConfigureMockMvc
    @AutoConfigureJobs
    class Recorded {

        @Test
        void aRequestLeavesItsJobs(@Autowired MockMvcTester mvc) {
            assertThat(mvc.post()
                            .uri("/orders")
                            .contentType(MediaType.APPLICATION_JSON)
                            .content("""
                                    {"customer": "ada@example.com", "items": [{"sku": "CUP-01", "quantity": 2}]}"""))
                    .hasStatus(HttpStatus.ACCEPTED);

            assertThat(jobs).enqueued(Mails::welcome, "ada@example.com").hasNotRun();
            assertThat(jobs).inQueue("critical").hasSize(1);
        }

        @Test
        void anOrderLeavesThreeJobs() {
            long order = checkout.place("ada@example.com", ITEMS, Card.VISA).id();

            assertThat(jobs)
                    .enqueuedExactly(
                            JobCall.of(Mails::welcome, "ada@example.com"),
                            JobCall.of(Mails::confirm, order),
                            JobCall.of(Payments::charge, order));
            assertThat(jobs).inQueue("critical").hasSize(1);
        }

        @Test
        void anUnknownProductLeavesNone() {
            assertThatThrownBy(() -> checkout.place("ada@example.com", List.of(new Item("NONE", 1)), Card.VISA))
                    .isInstanceOf(UnknownProductException.class);

            assertThat(jobs).none();
        }
    }

    @Nested
    @AutoConfigureJobs(mode = JobsMode.INLINE)
    class Inline {

        @Test
        void aReviewIsAskedForAfterThreeDays(@Autowired TestClock clock) {
            long order = checkout.place("ada@example.com", ITEMS, Card.VISA).id();
            assertThat(jobs).enqueued(Mails::receipt, order).isDone();
            assertThat(jobs)
                    .enqueued(Mails::askForReview, order)
                    .in(Duration.ofDays(3))
                    .hasNotRun();

            clock.advance(Duration.ofDays(3));

            assertThat(jobs).enqueued(Mails::askForReview, order).isDone();
            assertThat(orders.timeline(order)).extracting(Orders.Step::what).contains("review reminder mailed");
        }

        @Test
        void aDeclinedCardIsNotTriedAgain() {
            assertThatThrownBy(() -> checkout.place("alan@example.com", ITEMS, Card.DECLINED))
                    .hasCauseInstanceOf(CardDeclinedException.class);

            assertThat(jobs).enqueuedNamed(Payments.CHARGE).isDead().hasRun(1);
            assertThat(jobs).enqueuedNamed("Mails.askForAnotherCard").isDone();
        }
    }
}
