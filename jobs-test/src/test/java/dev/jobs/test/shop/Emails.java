package dev.jobs.test.shop;

import dev.jobs.Job;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.springframework.stereotype.Component;

@Component
class Emails {

    record Receipt(long order, BigDecimal total, Instant paid) {}

    final List<Object> sent = new ArrayList<>();

    @Job(queue = "mail", retry = 8)
    void welcome(String to, int visits) {
        sent.add("welcome " + to + " " + visits);
    }

    @Job(queue = "mail")
    void receipt(Receipt receipt) {
        sent.add(receipt);
    }

    @Job(queue = "mail", cron = "0 8 * * *")
    void newsletter() {
        sent.add("newsletter");
    }
}
