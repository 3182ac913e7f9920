package dev.jobs.sample;

import dev.jobs.Job;
import org.springframework.stereotype.Component;

/**
 * The mails that the shop sends. Each is a separate job, so that one that can't be delivered now is retried without the
 * others.
 *
 * <p>The jobs take the number of an order instead of the order: it is small, and they read the order's current state
 * when they run.
 */
@Component
class Mails {

    private final MailGateway gateway;
    private final Orders orders;

    Mails(MailGateway gateway, Orders orders) {
        this.gateway = gateway;
        this.orders = orders;
    }

    /** Enqueued with every order, sent with the first. */
    @Job(queue = "mail", retry = 8)
    void welcome(String customer) {
        gateway.send("welcome " + customer, customer, "Welcome to our shop");
    }

    @Job(queue = "mail", retry = 8)
    void confirm(long orderId) {
        send(orderId, "confirmation", "We have your order " + orderId);
    }

    @Job(queue = "mail", retry = 8)
    void receipt(long orderId) {
        send(orderId, "receipt", "Your receipt for order " + orderId);
    }

    @Job(queue = "mail", retry = 8)
    void askForAnotherCard(long orderId) {
        send(orderId, "request for another card", "We could not charge your card for order " + orderId);
    }

    /** Not worth retrying for weeks, nor a place in the dead set. */
    @Job(queue = "mail", retry = 2, dead = false)
    void askForReview(long orderId) {
        send(orderId, "review reminder", "How do you like what you ordered?");
    }

    private void send(long orderId, String kind, String subject) {
        gateway.send(kind + " " + orderId, orders.get(orderId).customer(), subject);
        orders.note(orderId, kind, kind + " mailed");
    }
}
