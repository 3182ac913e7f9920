package dev.jobs.test.orders;

import dev.jobs.Job;
import dev.jobs.JobClient;
import dev.jobs.unique.Unique;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.springframework.stereotype.Component;

@Component
class Orders {

    private final JobClient jobs;

    final Queue<String> confirmed = new ConcurrentLinkedQueue<>();

    Orders(JobClient jobs) {
        this.jobs = jobs;
    }

    void place(String customer) {
        jobs.enqueue(Orders::confirm, customer);
    }

    void remindOnce(String customer) {
        jobs.enqueue(Orders::remind, customer);
    }

    @Job
    void confirm(String customer) {
        confirmed.add(customer);
        if (customer.endsWith("!")) {
            jobs.enqueue(Orders::confirm, customer.substring(0, customer.length() - 1));
        }
    }

    @Job
    @Unique(key = "{0}")
    void remind(String customer) {}
}
