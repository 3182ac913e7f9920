package dev.jobs.test.orders;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jobs.JobDefinitionException;
import dev.jobs.test.JobsTestAutoConfiguration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** Tests of an application whose configuration turns jobs off. */
@ExtendWith(OutputCaptureExtension.class)
class TurnedOffTests {

    /** What the annotations of a test bring. */
    @ImportAutoConfiguration(JobsTestAutoConfiguration.class)
    private static final class Kit {}

    @Test
    void aTestWithAWorkerSaysThatThereIsNone(CapturedOutput output) {
        SpringApplicationBuilder application = new SpringApplicationBuilder(OrdersApplication.class, Kit.class)
                .web(WebApplicationType.NONE)
                .properties("jobs.test.mode=WORKER", "jobs.test.redis=own", "jobs.enabled=false");

        assertThatThrownBy(application::run)
                .isInstanceOf(JobDefinitionException.class)
                .hasMessageContaining("jobs.enabled is false");
        assertThat(output).contains("APPLICATION FAILED TO START", "Set jobs.enabled=true", "JobsMode.RECORDING");
    }
}
