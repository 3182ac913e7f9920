package dev.jobs.benchmarks.application.jobs;

import dev.jobs.Job;
import org.springframework.stereotype.Component;

/** The only job. */
@Component
class Mails {

    @Job("Mails.send")
    void send(long mail) {
        // the start is measured, and no job
    }
}
