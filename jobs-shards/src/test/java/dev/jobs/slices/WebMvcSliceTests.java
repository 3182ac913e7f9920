package dev.jobs.slices;

import static dev.jobs.test.JobsAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.spring.web.BatchProgress;
import dev.jobs.test.AutoConfigureJobs;
import dev.jobs.test.TestJobs;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.webmvc.test.autoconfigure.WebMvcTest;
import org.springframework.context.annotation.Import;
import org.springframework.test.web.servlet.assertj.MockMvcTester;

@WebMvcTest
@AutoConfigureJobs
@Import(Mails.class)
class WebMvcSliceTests {

    @Test
    void theJobsOfAControllerAreRecorded(@Autowired MockMvcTester mvc, @Autowired TestJobs jobs) {
        assertThat(mvc.post().uri("/people/bob")).hasStatusOk();

        assertThat(jobs).hasSize(1).enqueued(Mails::welcome, "bob").inQueue("mail");
    }

    @Test
    void controllersGetTheProgressOfBatches(@Autowired ObjectProvider<BatchProgress> progress) {
        assertThat(progress.stream()).hasSize(1);
    }
}
