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
import dev.jobs.deaths.OnDeath;
import dev.jobs.retries.Retry;
import dev.jobs.testing.LogLines;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
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

    static final class Ruled {
        @Job("Prices.load")
        @Retry(
                maxRetries = 8,
                delay = "10s",
                multiplier = 2,
                maxDelay = "10m",
                jitter = "500ms",
                includes = {IOException.class, IllegalStateException.class},
                excludes = FileNotFoundException.class)
        void load(long shop, String list) {}

        @Job(value = "Prices.ask", retryFor = 3_600)
        @Retry(policyName = "asTheShopSays")
        void ask(long shop) {}

        @Job(value = "Prices.drop", retry = Job.NONE)
        void drop(int list, long shop) {}

        @Job("Prices.plain")
        void plain() {}

        @OnDeath({"load", "ask"})
        void lost(long shop, Throwable failure) {}
    }

    /** The same jobs, with the rules of all others. */
    static final class Unruled {
        @Job(value = "Prices.read", aliases = "Prices.load")
        void read(long shop, String list) {}

        @Job("Prices.ask")
        void ask(long shop) {}

        @Job("Prices.drop")
        void drop(int list, long shop) {}

        @Job("Prices.plain")
        @Retry(maxRetries = 3, delay = "1s")
        void plain() {}

        @OnDeath("plain")
        void lost() {}
    }

    /** What the last word takes is of another type, added or no longer there. */
    static final class Unread {
        @Job("Prices.load")
        @Retry(maxRetries = 8)
        void load(String shop, String list, int page) {}

        @Job(value = "Prices.ask", retryFor = 3_600)
        void ask() {}

        @OnDeath("load")
        void lost(String shop, String list, int page) {}

        @OnDeath("ask")
        void notAsked() {}

        @Job("Prices.drop")
        void drop(int list) {}

        @OnDeath("drop")
        void notDropped(int list) {}
    }

    private Path written(Object jobs) {
        Path file = folder.resolve("rules.contract");
        JobContract.of(JobRegistry.of(jobs)).assertCompatibleWith(file);
        return file;
    }

    @Test
    void rulesOfRetriesAndLastWordsArePartOfTheFile() throws IOException {
        assertThat(Files.readAllLines(written(new Ruled())).stream().skip(1))
                .containsExactly(
                        "job Prices.ask",
                        "  queue default",
                        "  parameter shop : long",
                        "  retries for 3600 s",
                        "  retry-rule policy asTheShopSays",
                        "  last-word lost(long)",
                        "job Prices.drop",
                        "  queue default",
                        "  parameter list : int",
                        "  parameter shop : long",
                        "  retries none, discarded",
                        "job Prices.load",
                        "  queue default",
                        "  parameter shop : long",
                        "  parameter list : java.lang.String",
                        "  retries 8",
                        "  retry-rule delay PT10S, multiplier 2.0, maxDelay PT10M, jitter PT0.5S, includes"
                                + " java.io.IOException java.lang.IllegalStateException, excludes"
                                + " java.io.FileNotFoundException",
                        "  last-word lost(long)",
                        "job Prices.plain",
                        "  queue default");
    }

    @Test
    void whatChangesForWaitingJobsThatRunIsSaidAndBreaksNothing() {
        Path file = written(new Ruled());
        JobContract contract = JobContract.of(JobRegistry.of(new Unruled()));
        List<String> expected = List.of(
                "Prices.ask: retries were for 3600 s and are as for all jobs. Jobs that wait keep what they have.",
                "Prices.ask: the retry rule was policy asTheShopSays and is as for all jobs. Jobs that wait are retried by"
                        + " the present one.",
                "Prices.ask: the last word lost(long) is gone. Nothing is called when jobs that wait are given up.",
                "Prices.drop: retries were none, discarded and are as for all jobs. Jobs that wait keep what they have.",
                "Prices.load: retries were 8 and are as for all jobs. Jobs that wait keep what they have.",
                "Prices.load: the retry rule was delay PT10S, multiplier 2.0, maxDelay PT10M, jitter PT0.5S, includes"
                        + " java.io.IOException java.lang.IllegalStateException, excludes java.io.FileNotFoundException"
                        + " and is as for all jobs. Jobs that wait are retried by the present one.",
                "Prices.load: the last word lost(long) is gone. Nothing is called when jobs that wait are given up.",
                "Prices.plain: retries are 3 now. Jobs that wait keep what they have.",
                "Prices.plain: the retry rule is delay PT1S now. Jobs that wait are retried by the present one.");

        try (LogLines lines = LogLines.of(JobContract.class).open()) {
            contract.assertCompatibleWith(file);

            assertThat(contract.changesSince(file)).containsExactlyElementsOf(expected);
            assertThat(lines.messages())
                    .containsExactly("Jobs that wait since the version of " + file
                            + " can run. What changes for them:\n  - " + String.join("\n  - ", expected));
        }
    }

    @Test
    void withoutSuchAChangeNothingIsSaid() {
        Path file = written(new Ruled());
        JobContract contract = JobContract.of(JobRegistry.of(new Ruled()));

        try (LogLines lines = LogLines.of(JobContract.class).open()) {
            contract.assertCompatibleWith(file);

            assertThat(contract.changesSince(file)).isEmpty();
            assertThat(lines.messages()).isEmpty();
        }
    }

    @Test
    void aBreakSaysWhetherTheLastWordIsCalledForSuchJobs() {
        Path file = written(new Ruled());
        JobContract contract = JobContract.of(JobRegistry.of(new Unread()));

        String lost =
                " The last word lost(java.lang.String, java.lang.String, int) can't be called for these jobs either.";
        assertThatThrownBy(() -> contract.assertCompatibleWith(file))
                .hasMessageContainingAll(
                        "Parameter 1 (shop) of Prices.load was long and is java.lang.String. Keep the type, or add a"
                                + " JobUpcaster for Prices.load." + lost,
                        "as an Optional, or as @Nullable." + lost,
                        "else add a JobUpcaster for Prices.ask.\n",
                        "else add a JobUpcaster for Prices.drop. The last word notDropped(int) can't be called for these"
                                + " jobs either.");
    }

    @Test
    void aFileOfAnEarlierLibraryIsRead() throws IOException {
        Path file = written(new Ruled());
        List<String> before = Files.readAllLines(file).stream()
                .filter(line -> !line.matches("  (retries|retry-rule|last-word) .*"))
                .toList();
        Files.write(file, before);
        JobContract contract = JobContract.of(JobRegistry.of(new Ruled()));

        assertThatCode(() -> contract.assertCompatibleWith(file)).doesNotThrowAnyException();
        assertThat(Files.readAllLines(file)).isEqualTo(before);
        assertThat(contract.changesSince(file)).hasSize(5).allMatch(each -> each.contains(" now. Jobs that wait "));
    }

    @Test
    void aFileOfALaterLibraryIsRead() throws IOException {
        Path file = released();
        Files.writeString(file, "  later thing\nof-all jobs\n", StandardOpenOption.APPEND);

        assertThat(JobContract.of(JobRegistry.of(new Released())).changesSince(file))
                .isEmpty();
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
