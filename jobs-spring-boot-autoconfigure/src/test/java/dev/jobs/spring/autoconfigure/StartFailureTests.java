package dev.jobs.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;

import dev.jobs.Job;
import dev.jobs.JobContext;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.Banner;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.autoconfigure.context.LifecycleAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

/** The messages that users see when an application with a mistake doesn't start. */
@ExtendWith(OutputCaptureExtension.class)
class StartFailureTests {

    private static final String TYPE = StartFailureTests.class.getName() + "$";

    @Test
    void twoJobsOfOneName(CapturedOutput output) {
        start(TwoOfOneName.class);

        assertThat(output)
                .contains(failure(
                        "Two @Job methods have the name 'Welcome': " + TYPE + "Emails.welcome and " + TYPE
                                + "Letters.welcome.",
                        "Give one of them another name, as in @Job(\"Billing.welcome\")."));
    }

    @Test
    void aQueueThatIsNoQueue(CapturedOutput output) {
        start(Nothing.class, "jobs.queues=critical;default");

        assertThat(output)
                .contains(failure(
                        "Capsule 'default' lists the queue 'critical;default', which is neither a name nor \"name,weight\".",
                        "Use a name of 1 to 128 letters, digits and the characters _ . : - and, if queues are to be weighted, a "
                                + "comma and a weight of 0 to 1000."));
    }

    @Test
    void theQueueOfAJobThatIsNoQueue(CapturedOutput output) {
        start(WrongQueue.class);

        assertThat(output)
                .contains(failure(
                        "The @Job method " + TYPE
                                + "WrongQueue.run can't be used: its queue 'no queue' is no queue name.",
                        "Use 1 to 128 letters, digits and the characters _ . : -"));
    }

    @Test
    void aParameterThatJsonCannotCarry(CapturedOutput output) {
        start(Unserialisable.class);

        assertThat(output)
                .contains("The @Job method " + TYPE + "Unserialisable.run can't be used: ")
                .contains("content")
                .contains("Use a type that JSON can carry");
    }

    @Test
    void aContextThatIsNotTheLastParameter(CapturedOutput output) {
        start(ContextFirst.class);

        assertThat(output)
                .contains(failure(
                        "The @Job method " + TYPE
                                + "ContextFirst.run can't be used: its parameter 'job' is a JobContext but not the last parameter.",
                        "Make the JobContext the last parameter."));
    }

    @Test
    void aPrivateMethod(CapturedOutput output) {
        start(PrivateMethod.class);

        assertThat(output)
                .contains(failure(
                        "The @Job method " + TYPE
                                + "PrivateMethod.run can't be used: it is private, so transactions and other advice on its bean would bypass it.",
                        "Make it package-private or public."));
    }

    @Test
    @Tag("sidekiq-29")
    void anInvalidCronText(CapturedOutput output) {
        start(WrongCron.class);

        assertThat(output)
                .contains(failure(
                        "The @Job method " + TYPE
                                + "WrongCron.run can't be used: the cron text '0 25 * * *' in zone 'Europe/Berlin' can't be used: its "
                                + "hour '25' is not 0 to 23.",
                        "Write five fields (minute, hour, day of month, month, day of week) or six with the second first, as in "
                                + "@Job(cron = \"0 2 * * *\", zone = \"Europe/Berlin\")."));
    }

    @Test
    @Tag("sidekiq-29")
    void aRecurringJobWithArguments(CapturedOutput output) {
        start(CronWithArguments.class);

        assertThat(output)
                .contains(failure(
                        "The @Job method " + TYPE
                                + "CronWithArguments.run can't be used: it has a cron text, but its parameters [region] would get no "
                                + "values.",
                        "Take no argument but a JobContext, or leave the cron text out and save the recurring job, with its arguments, "
                                + "through RecurringJobs."));
    }

    @Test
    @Tag("sidekiq-29")
    void aZoneWithoutACronText(CapturedOutput output) {
        start(ZoneAlone.class);

        assertThat(output)
                .contains("ZoneAlone.run can't be used: it has the zone 'Europe/Berlin' and no cron text.")
                .contains("Add a cron text, or remove the zone.");
    }

    @Test
    void aClusterWithoutAHashTag(CapturedOutput output) {
        start(Nothing.class, "spring.data.redis.cluster.nodes=127.0.0.1:1");

        assertThat(output)
                .contains(failure(
                        "Redis is a cluster, and the property jobs.key-prefix is '': without a hash tag in it the keys of one job lie on "
                                + "several nodes, which no script can reach at once.",
                        "Set jobs.key-prefix to a name in braces, such as \"{shop}:\". To spread load over the nodes, give each "
                                + "installation of Jobs its own."));
    }

    @Test
    void wrongValuesOfProperties(CapturedOutput output) {
        start(Nothing.class, "jobs.concurrency=0", "jobs.lease=1s", "jobs.capsules.reports.queues=");

        assertThat(output)
                .contains("Properties have values that they can't have:")
                .containsIgnoringNewLines("""
                            Property: jobs.concurrency
                            Value: "0"
                            Origin: "jobs.concurrency" from property source "commandLineArgs"
                            Reason: must be 1 to 10000
                        """)
                .containsIgnoringNewLines("""
                            Property: jobs.lease
                            Value: "1s"
                            Origin: "jobs.lease" from property source "commandLineArgs"
                            Reason: must be 2s to 10m
                        """)
                .contains("Property: jobs.capsules[reports].queues")
                .contains("Update your application's configuration");
    }

    @Test
    void aWrongValueInAListIsShownWithTheList(CapturedOutput output) {
        start(Nothing.class, "jobs.context.mdc-keys=user," + "x".repeat(101));

        assertThat(output).containsIgnoringNewLines("""
                            Property: jobs.context.mdc-keys[1]
                            Value: "user,%s"
                            Origin: "jobs.context.mdc-keys" from property source "commandLineArgs"
                            Reason: must be 1 to 100 characters, none of them a control character
                        """.formatted("x".repeat(101)));
    }

    private static String failure(String description, String action) {
        return String.join(
                System.lineSeparator(),
                "***************************",
                "APPLICATION FAILED TO START",
                "***************************",
                "",
                "Description:",
                "",
                description,
                "",
                "Action:",
                "",
                action,
                "");
    }

    private static void start(Class<?> application, String... properties) {
        List<String> arguments = new ArrayList<>(List.of("--spring.data.redis.port=1"));
        for (String property : properties) {
            arguments.add("--" + property);
        }
        assertThatException().isThrownBy(() -> new SpringApplicationBuilder(Jobs.class, application)
                .web(WebApplicationType.NONE)
                .bannerMode(Banner.Mode.OFF)
                .run(arguments.toArray(String[]::new))
                .close());
    }

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration({
        DataRedisAutoConfiguration.class,
        LifecycleAutoConfiguration.class,
        JobsAutoConfiguration.class
    })
    static class Jobs {}

    static class Nothing {}

    @Import({Emails.class, Letters.class})
    static class TwoOfOneName {}

    static class Emails {

        @Job("Welcome")
        void welcome() {}
    }

    static class Letters {

        @Job("Welcome")
        void welcome() {}
    }

    static class WrongQueue {

        @Job(queue = "no queue")
        void run() {}
    }

    static class Unserialisable {

        @Job
        void run(InputStream content) {}
    }

    static class WrongCron {

        @Job(cron = "0 25 * * *", zone = "Europe/Berlin")
        void run() {}
    }

    static class CronWithArguments {

        @Job(cron = "@daily")
        void run(String region, JobContext job) {}
    }

    static class ZoneAlone {

        @Job(zone = "Europe/Berlin")
        void run() {}
    }

    static class ContextFirst {

        @Job
        void run(JobContext job, String argument) {}
    }

    static class PrivateMethod {

        @Job
        @SuppressWarnings("UnusedMethod")
        private void run() {}
    }
}
