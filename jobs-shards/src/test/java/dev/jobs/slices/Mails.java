package dev.jobs.slices;

import dev.jobs.Job;
import org.springframework.stereotype.Component;

/** No slice has it, unless a test imports it. */
@Component
class Mails {

    @Job(queue = "mail")
    void welcome(String to) {}
}
