package dev.jobs.sample;

import dev.jobs.DeathHandler;
import dev.jobs.JobClient;
import dev.jobs.JobListener.Ending;
import dev.jobs.Payload;
import dev.jobs.RetryPolicy;
import dev.jobs.sample.PaymentGateway.CardDeclinedException;
import dev.jobs.sample.PaymentGateway.GatewayTimeoutException;
import dev.jobs.spring.JobFinishedEvent;
import org.jspecify.annotations.Nullable;
import org.springframework.context.event.EventListener;
import org.springframework.stereotype.Component;

/** Handles failed charges. All other jobs follow the default rules of Jobs. */
@Component
class FailedCharges implements RetryPolicy, DeathHandler {

    private final Orders orders;
    private final JobClient jobs;
    private final ShopProperties properties;

    FailedCharges(Orders orders, JobClient jobs, ShopProperties properties) {
        this.orders = orders;
        this.jobs = jobs;
        this.properties = properties;
    }

    /** After a gateway timeout the charge is retried soon, after a declined card never. */
    @Override
    public @Nullable Decision decide(Payload payload, int count, Throwable failure) {
        if (failure instanceof GatewayTimeoutException) {
            return Decision.retryIn(properties.gatewayRetryAfter());
        }
        if (failure instanceof CardDeclinedException) {
            return Decision.kill();
        }
        return null;
    }

    /** There are no more attempts, for whatever reason: the customer has to help. */
    @Override
    public void died(Payload payload, @Nullable Throwable failure) {
        if (isCharge(payload)) {
            long orderId = orderId(payload);
            String reason = failure == null ? "given up by hand" : String.valueOf(failure.getMessage());
            orders.note(orderId, "unpaid", "card could not be charged: " + reason);
            jobs.enqueue(Mails::askForAnotherCard, orderId);
        }
    }

    /** Every execution ends with an event. */
    @EventListener
    void noteFailedAttempt(JobFinishedEvent event) {
        if (event.ending() == Ending.RETRIED && isCharge(event.payload())) {
            orders.note(
                    orderId(event.payload()),
                    "attempt " + event.attempt(),
                    "attempt " + event.attempt() + " to charge the card failed, another follows");
        }
    }

    private static boolean isCharge(Payload payload) {
        return Payments.CHARGE.equals(payload.name());
    }

    private static long orderId(Payload payload) {
        if (payload.args().get(0) instanceof Long id) {
            return id;
        }
        throw new IllegalArgumentException("The job " + payload.jid() + " does not begin with an order number");
    }
}
