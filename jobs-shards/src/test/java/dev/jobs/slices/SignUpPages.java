package dev.jobs.slices;

import dev.jobs.JobClient;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

@RestController
class SignUpPages {

    private final JobClient jobs;

    SignUpPages(JobClient jobs) {
        this.jobs = jobs;
    }

    @PostMapping("/people/{name}")
    void signUp(@PathVariable String name) {
        jobs.enqueue(Mails::welcome, name);
    }
}
