package dev.jobs.sample;

import dev.jobs.Job;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;

/** Adds up the recent orders on a schedule. */
@Component
class Takings {

    private static final Logger log = LoggerFactory.getLogger(Takings.class);

    private final Orders orders;

    Takings(Orders orders) {
        this.orders = orders;
    }

    /**
     * Runs every half minute, to be visible in the log. A real shop would run it at night:
     * {@code cron = "0 5 * * *", zone = "Europe/Berlin"}. It runs once each time, however many shops share a Redis.
     */
    @Job(queue = "low", retry = 0, cron = "*/30 * * * * *")
    void count() {
        List<Order> recent = orders.recent();
        long cents = recent.stream().mapToLong(Order::totalCents).sum();
        log.info("The last {} orders are worth {}.{}", recent.size(), cents / 100, String.format("%02d", cents % 100));
    }
}
