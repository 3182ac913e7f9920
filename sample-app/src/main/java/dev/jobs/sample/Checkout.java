package dev.jobs.sample;

import dev.jobs.JobClient;
import dev.jobs.sample.Order.Card;
import dev.jobs.sample.Order.Item;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/** Takes orders. Work that a customer need not wait for is left to jobs. */
@Component
class Checkout {

    private final Products products;
    private final Orders orders;
    private final JobClient jobs;

    /** A placed order, and the ids of the jobs that process it. */
    record Placed(
            long id,
            long totalCents,
            @Nullable String confirmationJob,
            @Nullable String chargeJob) {}

    Checkout(Products products, Orders orders, JobClient jobs) {
        this.products = products;
        this.orders = orders;
        this.jobs = jobs;
    }

    /**
     * Places an order.
     *
     * @throws UnknownProductException if the shop doesn't sell one of the items
     */
    Placed place(String customer, List<Item> items, Card card) {
        long total = items.stream()
                .mapToLong(item -> (long) products.get(item.sku()).cents() * item.quantity())
                .sum();
        Order order = new Order(orders.nextId(), customer, items, total, card, Instant.now());
        orders.save(order);
        orders.note(order.id(), "placed", "order placed");
        // First the data, then the jobs: a job may run before the call that enqueues it has returned. With a database,
        // enqueue after its transaction is committed.
        jobs.enqueue(Mails::welcome, customer);
        String confirmation = jobs.enqueue(Mails::confirm, order.id());
        String charge = jobs.enqueue(Payments::charge, order.id());
        return new Placed(order.id(), total, confirmation, charge);
    }
}
