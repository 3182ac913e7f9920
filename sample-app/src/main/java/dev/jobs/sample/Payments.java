package dev.jobs.sample;

import dev.jobs.Job;
import dev.jobs.JobClient;
import dev.jobs.JobContext;
import dev.jobs.limiters.Limiter;
import dev.jobs.limiters.Limiters;
import org.springframework.stereotype.Component;

/** Charges cards. */
@Component
class Payments {

    /** An explicit name: waiting jobs keep it even if the method is renamed. */
    static final String CHARGE = "charge-card";

    private final Orders orders;
    private final PaymentGateway gateway;
    private final JobClient jobs;
    private final ShopProperties properties;
    private final Limiter calls;

    Payments(Orders orders, PaymentGateway gateway, JobClient jobs, ShopProperties properties, Limiters limiters) {
        this.orders = orders;
        this.gateway = gateway;
        this.jobs = jobs;
        this.properties = properties;
        this.calls = limiters.concurrent("payment-gateway", 20); // what our contract allows, for all processes together
    }

    /**
     * Charges the card of an order. Safe to repeat from any point, as a job has to be: the gateway charges once per
     * key, a step is recorded once, and mails that may be enqueued twice are sent once.
     */
    @Job(value = CHARGE, queue = "critical", retry = 5)
    void charge(long orderId, JobContext job) throws InterruptedException {
        Order order = orders.get(orderId);
        calls.run(() -> gateway.charge("order " + orderId, order.totalCents(), order.card()));
        int attempts = job.attempt();
        orders.note(orderId, "charged", "card charged after " + attempts + (attempts == 1 ? " attempt" : " attempts"));
        jobs.enqueue(Mails::receipt, orderId);
        jobs.in(properties.reviewAfter()).enqueue(Mails::askForReview, orderId);
    }
}
