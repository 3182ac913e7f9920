package dev.jobs.slices;

import static dev.jobs.test.JobsAssertions.assertThat;

import dev.jobs.test.AutoConfigureJobs;
import dev.jobs.test.TestJobs;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.webflux.test.autoconfigure.WebFluxTest;
import org.springframework.context.annotation.Import;
import org.springframework.test.web.reactive.server.WebTestClient;

@WebFluxTest(properties = "spring.main.web-application-type=reactive")
@AutoConfigureJobs
@Import(Mails.class)
class WebFluxSliceTests {

    @Test
    void theJobsOfAControllerAreRecorded(@Autowired WebTestClient web, @Autowired TestJobs jobs) {
        web.post().uri("/people/bob").exchange().expectStatus().isOk();

        assertThat(jobs).hasSize(1).enqueued(Mails::welcome, "bob").inQueue("mail");
    }
}
