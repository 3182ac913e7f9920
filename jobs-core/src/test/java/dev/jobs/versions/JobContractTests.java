package dev.jobs.versions;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jobs.Job;
import dev.jobs.JobContext;
import dev.jobs.JobParam;
import dev.jobs.JobRegistry;
import dev.jobs.JobUpcaster;
import dev.jobs.JobUpcaster.Stored;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Which changes of jobs would strand jobs that wait. */
class JobContractTests {

    @TempDir
    private Path folder;

    static final class Released {
        @Job(value = "Mail.send", aliases = "OldMail", queue = "mail")
        void send(String to, int count) {}

        @Job("Report")
        void report(Map<String, List<Long>> parts, @JobParam(defaultValue = "a = b") String title, JobContext job) {}
    }

    static final class Compatible {
        @Job(
                value = "Mail.deliver",
                aliases = {"Mail.send", "OldMail"})
        void deliver(String recipient, int times, Optional<String> note) {}

        @Job(value = "Report", ignoredArguments = 1)
        void report(Map<String, List<Long>> parts) {}

        @Job("New")
        void added(String what) {}
    }

    static final class Breaking {
        @Job("OldMail")
        void send(long to) {}

        @Job("Report")
        void report(Map<String, List<Long>> parts, String title, int pages) {}
    }

    private Path released() {
        Path file = folder.resolve("new/jobs.contract");
        JobContract.of(JobRegistry.of(new Released())).assertCompatibleWith(file);
        return file;
    }

    @Test
    void aMissingFileIsWrittenAndSaysWhatWaitingJobsNeed() throws IOException {
        assertThat(Files.readAllLines(released()).subList(1, 10))
                .containsExactly(
                        "job Mail.send",
                        "  alias OldMail",
                        "  queue mail",
                        "  parameter to : java.lang.String",
                        "  parameter count : int",
                        "job Report",
                        "  queue default",
                        "  parameter parts : java.util.Map<java.lang.String, java.util.List<java.lang.Long>>",
                        "  parameter title : java.lang.String = \"a = b\"");
    }

    @Test
    void theSameJobsAndCompatibleChangesPassAndLeaveTheFile() throws IOException {
        Path file = released();
        String before = Files.readString(file);
        for (Object jobs : List.of(new Released(), new Compatible())) {
            JobContract contract = JobContract.of(JobRegistry.of(jobs));
            assertThatCode(() -> contract.assertCompatibleWith(file)).doesNotThrowAnyException();
        }
        assertThat(Files.readString(file)).isEqualTo(before);
    }

    @Test
    void eachBreakingChangeIsNamedWithItsRemedy() {
        Path file = released();
        JobContract contract = JobContract.of(JobRegistry.of(new Breaking()));
        assertThatThrownBy(() -> contract.assertCompatibleWith(file))
                .isInstanceOf(AssertionError.class)
                .hasMessageContainingAll(
                        file.toString(),
                        "The name Mail.send is gone. Add it to the aliases",
                        "Parameter 1 (to) of OldMail was java.lang.String and is long",
                        "OldMail takes 1 arguments fewer than before",
                        "Parameter 2 (title) of Report had a value for jobs without its argument, and has none",
                        "The parameter pages of Report was added without a value",
                        "-Djobs.contract.write=true");
    }

    @Test
    void anUpcasterCoversEveryChangeOfItsNames() throws IOException {
        Path file = released();
        JobRegistry registry = JobRegistry.of(new Breaking())
                .withUpcasters(
                        JobUpcaster.of("Mail.send", job -> new Stored("OldMail", List.of(1L))),
                        JobUpcaster.of("OldMail", job -> job),
                        JobUpcaster.of("Report", job -> job));
        JobContract contract = JobContract.of(registry);
        assertThatCode(() -> contract.assertCompatibleWith(file)).doesNotThrowAnyException();
        assertThat(contract.text()).contains("\nupcast Mail.send\n");

        Path later = folder.resolve("later");
        contract.assertCompatibleWith(later);
        JobContract withoutThem = JobContract.of(JobRegistry.of(new Breaking()));
        assertThatThrownBy(() -> withoutThem.assertCompatibleWith(later))
                .hasMessageContaining("The name Mail.send is gone");
    }

    @Test
    void theSystemPropertyWritesTheFileAgain() throws IOException {
        Path file = released();
        System.setProperty(JobContract.WRITE, "true");
        try {
            JobContract.of(JobRegistry.of(new Breaking())).assertCompatibleWith(file);
        } finally {
            System.clearProperty(JobContract.WRITE);
        }
        assertThat(Files.readString(file)).contains("job Report").doesNotContain("Mail.send");
    }
}
