package dev.jobs.deaths;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.spi.IThrowableProxy;
import dev.jobs.ArgumentMasking;
import dev.jobs.DeathHandler;
import dev.jobs.Job;
import dev.jobs.JobContext;
import dev.jobs.JobDefinitionException;
import dev.jobs.JobErrorHandler;
import dev.jobs.JobHooks;
import dev.jobs.JobParam;
import dev.jobs.JobRegistry;
import dev.jobs.JobUpcaster;
import dev.jobs.JobUpcaster.Stored;
import dev.jobs.Masked;
import dev.jobs.Payload;
import dev.jobs.codec.ArgumentException;
import dev.jobs.testing.LogLines;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Which method is called when a job died, and with what. */
class OnDeathTests {

    @RegisterExtension
    private final LogLines lines = LogLines.of(JobDeaths.class);

    private final List<String> reported = new ArrayList<>();
    private final List<Throwable> errors = new ArrayList<>();

    /** A class with jobs, and what was called in it. */
    private abstract static class Shop {

        final List<List<@Nullable Object>> said = new ArrayList<>();

        void say(@Nullable Object... what) {
            said.add(Arrays.asList(what));
        }
    }

    static final class Orders extends Shop {

        @Job("ship")
        void ship(long order, List<String> parcels, @JobParam(defaultValue = "post") String carrier) {}

        @Job("bill")
        void bill(long order, @Masked String card) {}

        @Job("note")
        void note(String text) {}

        @OnDeath("ship")
        void notShipped(long order, List<String> parcels, String carrier, @Nullable Throwable failure, Payload job) {
            say(order, parcels, carrier, failure, job.jid());
        }

        @OnDeath("bill")
        void notBilled(long order) {
            say(order);
        }
    }

    private JobHooks hooks(JobRegistry jobs, JobErrorHandler errorHandler) {
        JobHooks heard = JobHooks.none().with(JobErrorHandler.class, errorHandler);
        return heard.with(DeathHandler.class, new JobDeaths(jobs, new ArgumentMasking(jobs, List.of()), heard));
    }

    private void dies(JobRegistry jobs, String payload, @Nullable Throwable failure) {
        hooks(jobs, (error, context, job) -> {
                    errors.add(error);
                    reported.add(context);
                })
                .died(Payload.parse(payload.getBytes(UTF_8)), failure);
    }

    private static String payload(String name, String arguments) {
        return "{\"class\":\"" + name + "\",\"args\":" + arguments + ",\"jid\":\"j1\"}";
    }

    @Test
    void itTakesTheArgumentsTheFailureAndThePayload() {
        Orders orders = new Orders();
        Throwable failure = new IllegalStateException("no parcels");

        dies(JobRegistry.of(orders), payload("ship", "[7,[\"a\",\"b\"],\"dhl\"]"), failure);

        assertThat(orders.said).containsExactly(List.of(7L, List.of("a", "b"), "dhl", failure, "j1"));
        assertThat(errors).isEmpty();
        assertThat(lines.events()).isEmpty();
    }

    @Test
    void aJobThatThrewNothingHasNoFailure() {
        Orders orders = new Orders();

        dies(JobRegistry.of(orders), payload("ship", "[7,[],\"dhl\"]"), null);

        assertThat(orders.said).containsExactly(Arrays.asList(7L, List.of(), "dhl", null, "j1"));
    }

    @Test
    void aMissingArgumentIsWhatTheJobDeclares() {
        Orders orders = new Orders();

        dies(JobRegistry.of(orders), payload("ship", "[7,[]]"), null);

        assertThat(orders.said).containsExactly(Arrays.asList(7L, List.of(), "post", null, "j1"));
    }

    @Test
    void anArgumentThatItDoesNotTakeMayBeUnreadable() {
        Orders orders = new Orders();

        dies(JobRegistry.of(orders), payload("bill", "[7,{\"no\":\"text\"}]"), null);
        dies(JobRegistry.of(orders), payload("bill", "[8]"), null);

        assertThat(orders.said).containsExactly(List.of(7L), List.of(8L));
        assertThat(errors).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"[\"7\"]", "[]", "[7,\"card\",3]"})
    void itIsNotCalledIfItsArgumentsCannotBeRead(String arguments) {
        Orders orders = new Orders();

        dies(JobRegistry.of(orders), payload("bill", arguments), null);

        String said = "The @OnDeath method " + Orders.class.getName()
                + ".notBilled is not called for job bill (jid j1): its arguments can't be read";
        assertThat(orders.said).isEmpty();
        assertThat(reported).containsExactly(said);
        assertThat(errors).singleElement().isInstanceOf(ArgumentException.class);
        assertThat(lines.messages()).containsExactly(said);
    }

    static final class Cleanup extends Shop {

        @Job("sweep")
        void sweep(long shop) {}

        @OnDeath
        void dirty(@Nullable Throwable failure) {
            say(failure);
        }
    }

    @Test
    void withoutArgumentsItIsCalledWhateverTheJobHas() {
        Cleanup cleanup = new Cleanup();

        dies(JobRegistry.of(cleanup), payload("sweep", "[\"x\",2]"), null);
        dies(JobRegistry.of(cleanup), payload("sweep", "\"no array\""), null);

        assertThat(cleanup.said).hasSize(2);
        assertThat(errors).isEmpty();
    }

    static final class Several extends Shop {

        @Job("a")
        void first(String text, int number) {}

        @Job("b")
        void second(String text) {}

        @Job("c")
        void third() {}

        @OnDeath({"first", "second"})
        void over(String text) {
            say(text);
        }
    }

    @Test
    void aMethodMayBeForSeveralJobs() {
        Several jobs = new Several();
        JobRegistry registry = JobRegistry.of(jobs);

        dies(registry, payload("a", "[\"one\",1]"), null);
        dies(registry, payload("b", "[\"two\"]"), null);
        dies(registry, payload("c", "[]"), null);
        dies(registry, payload("unknown", "[\"three\"]"), null);
        dies(registry, "{\"args\":[]}", null);

        assertThat(jobs.said).containsExactly(List.of("one"), List.of("two"));
    }

    @Test
    void upcastersComeBeforeIt() {
        Cleanup cleanup = new Cleanup();
        Several several = new Several();
        JobRegistry registry = JobRegistry.of(cleanup, several)
                .withUpcasters(
                        JobUpcaster.of(
                                "old",
                                job -> new Stored(
                                        "b", List.of("from " + job.arguments().get(0)))),
                        JobUpcaster.of("bad", job -> {
                            throw new IllegalStateException("no way");
                        }),
                        JobUpcaster.of("a", job -> {
                            throw new IllegalStateException("no way");
                        }));

        dies(registry, payload("old", "[1]"), null);
        dies(registry, payload("bad", "[1]"), null);
        dies(registry, payload("a", "[\"x\",1]"), null);

        assertThat(several.said).containsExactly(List.of("from 1"));
        assertThat(errors)
                .as("of a job whose method is known")
                .singleElement()
                .hasToString("java.lang.IllegalStateException: no way");
    }

    @Test
    void theJobInsideAnEnvelopeOfActiveJobCounts() {
        Several jobs = new Several();

        dies(
                JobRegistry.of(jobs),
                "{\"class\":\"Sidekiq::ActiveJob::Wrapper\",\"wrapped\":\"b\",\"args\":[{\"job_class\":\"b\",\"arguments\":[\"two\"]}],\"jid\":\"j1\"}",
                null);

        assertThat(jobs.said).containsExactly(List.of("two"));
    }

    @Retention(RetentionPolicy.RUNTIME)
    @OnDeath
    @interface Finally {}

    private abstract static class Inherited extends Shop {

        @Finally
        void over(int number) {
            say(number);
        }
    }

    static final class Inheriting extends Inherited {

        @Job("count")
        void count(int number) {}
    }

    @Test
    void itMayBeInheritedAndHaveItsAnnotationFromAnother() {
        Inheriting jobs = new Inheriting();

        dies(JobRegistry.of(jobs), payload("count", "[3]"), null);

        assertThat(jobs.said).containsExactly(List.of(3));
    }

    static final class Failing {

        @Job("pay")
        void pay(@Masked String card) {}

        @OnDeath
        void notPaid(String card) {
            throw new IllegalArgumentException("no mail about " + card);
        }
    }

    @Test
    void whatItThrowsIsReportedAndLoggedWithoutMaskedArguments() {
        dies(JobRegistry.of(new Failing()), payload("pay", "[\"4111-1111\"]"), null);

        String said = "The @OnDeath method " + Failing.class.getName()
                + ".notPaid failed for job pay (jid j1), and is not called again";
        assertThat(reported).containsExactly(said);
        assertThat(errors).singleElement().hasToString("java.lang.IllegalArgumentException: no mail about 4111-1111");
        assertThat(lines.messages()).containsExactly(said);
        IThrowableProxy logged = lines.events().get(0).getThrowableProxy();
        assertThat(logged.getMessage()).isEqualTo("java.lang.IllegalArgumentException: no mail about •••");
        assertThat(logged.getStackTraceElementProxyArray()).isNotEmpty();
    }

    static final class Exhausting {

        @Job("fill")
        void fill() {}

        @OnDeath
        void full() {
            throw new OutOfMemoryError("Java heap space");
        }
    }

    @Test
    void memoryThatRunsOutConcernsTheProcess() {
        JobRegistry jobs = JobRegistry.of(new Exhausting());

        assertThatThrownBy(() -> dies(jobs, payload("fill", "[]"), null)).isInstanceOf(OutOfMemoryError.class);
    }

    static final class Quiet {

        @Job("quiet")
        void quiet() {}
    }

    @Test
    void noThreadWaitsForADeathIfNoJobHasSuchAMethod() {
        assertThat(hooks(JobRegistry.of(new Quiet()), (error, context, job) -> {})
                        .hearsOfDeaths())
                .isFalse();
        assertThat(hooks(JobRegistry.of(new Cleanup()), (error, context, job) -> {})
                        .hearsOfDeaths())
                .isTrue();
    }

    record Refused(Object jobs, String message, String action) {

        @Override
        public String toString() {
            return jobs.getClass().getSimpleName();
        }
    }

    static final class OtherType {

        @Job("ship")
        void ship(long order, String carrier) {}

        @OnDeath
        void over(long order, List<String> carrier) {}
    }

    static final class TooMany {

        @Job("ship")
        void ship(long order) {}

        @OnDeath
        void over(long order, String carrier) {}
    }

    static final class FailureFirst {

        @Job("ship")
        void ship(long order) {}

        @OnDeath
        void over(Throwable failure, long order) {}
    }

    static final class OtherFailure {

        @Job("ship")
        void ship(long order) {}

        @OnDeath
        void over(long order, IllegalStateException failure) {}
    }

    static final class TwoFailures {

        @Job("ship")
        void ship(long order) {}

        @OnDeath
        void over(Throwable failure, Throwable cause) {}
    }

    static final class JobAndTwoFailures {

        @Job("ship")
        void ship(long order) {}

        @OnDeath
        void over(Payload payload, Throwable failure, Throwable cause) {}
    }

    static final class Context {

        @Job("ship")
        void ship(long order) {}

        @OnDeath
        void over(long order, JobContext job) {}
    }

    static final class Unknown {

        @Job("ship")
        void ship(long order) {}

        @Job("bill")
        void bill(long order) {}

        void plain() {}

        @OnDeath({"ship", "plain"})
        void over(long order) {}
    }

    static final class Open {

        @Job("ship")
        void ship(long order) {}

        @Job("bill")
        void bill(long order) {}

        @OnDeath
        void over(long order) {}
    }

    static final class Two {

        @Job("ship")
        void ship(long order) {}

        @OnDeath
        void over(long order) {}

        @OnDeath("ship")
        void also() {}
    }

    static final class Both {

        @Job("ship")
        @OnDeath
        void ship(long order) {}
    }

    static final class Alone {

        @OnDeath
        void over(long order) {}
    }

    static List<Refused> mistakes() {
        String take =
                "Take the job's arguments from the first one on, as many as you need, with their types; after these a Throwable and a Payload, if you need them.";
        return List.of(
                new Refused(
                        new OtherType(),
                        "The @OnDeath method " + OtherType.class.getName()
                                + ".over can't be used: its parameter 2 is a java.util.List<java.lang.String>, and that of the job ship is a java.lang.String",
                        take),
                new Refused(
                        new TooMany(), "its parameter 2 is a java.lang.String, and the job ship has 1 argument", take),
                new Refused(
                        new FailureFirst(),
                        "its parameter 1 is a java.lang.Throwable, and that of the job ship is a long",
                        take),
                new Refused(
                        new OtherFailure(),
                        "its parameter 2 is a java.lang.IllegalStateException, and the job ship has 1 argument",
                        take),
                new Refused(new TwoFailures(), "it takes two of java.lang.Throwable", take),
                new Refused(new JobAndTwoFailures(), "it takes two of java.lang.Throwable", take),
                new Refused(
                        new Context(),
                        "its parameter 2 is a dev.jobs.JobContext, and the job ship has 1 argument",
                        take),
                new Refused(
                        new Unknown(),
                        "over can't be used: its class has no @Job method 'plain'",
                        "Name a method that has @Job: bill, ship."),
                new Refused(
                        new Open(),
                        "over can't be used: it doesn't say of which job, and its class has several: bill, ship",
                        "Name their methods, as in @OnDeath(\"bill\")."),
                new Refused(
                        new Two(),
                        "The @Job method " + Two.class.getName() + ".ship can't be used: both ",
                        "Leave one of them, and let it call the other."),
                new Refused(
                        new Both(),
                        "ship can't be used: it is @OnDeath as well",
                        "Put @OnDeath on another method of the class."),
                new Refused(
                        new Alone(),
                        "@OnDeath on " + Alone.class.getName()
                                + ".over has no effect: no method of the class is a @Job",
                        "Add @Job to the method that it belongs to, or remove @OnDeath."));
    }

    @ParameterizedTest
    @MethodSource("mistakes")
    void mistakesAreRefusedAtStartWithTheWayOut(Refused refused) {
        assertThatThrownBy(() -> JobRegistry.of(refused.jobs()))
                .isInstanceOfSatisfying(JobDefinitionException.class, thrown -> assertThat(thrown.action())
                        .isEqualTo(refused.action()))
                .hasMessageContaining(refused.message());
    }
}
