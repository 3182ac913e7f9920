package dev.jobs.spring.autoconfigure.deaths;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.DeathHandler;
import dev.jobs.Job;
import dev.jobs.JobClient;
import dev.jobs.JobDefinitionException;
import dev.jobs.JobErrorHandler;
import dev.jobs.JobHooks;
import dev.jobs.Payload;
import dev.jobs.deaths.OnDeath;
import dev.jobs.spring.autoconfigure.JobsContext;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Scope;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.core.PriorityOrdered;
import org.springframework.core.annotation.AliasFor;
import org.springframework.scheduling.annotation.Async;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.DefaultTransactionStatus;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** Last words are found on beans, called through them, and checked at start. */
class LastWordTests {

    private final ApplicationContextRunner runner =
            JobsContext.withoutWorker().withConfiguration(AutoConfigurations.of(JobsDeathsAutoConfiguration.class));

    private static void dies(AssertableApplicationContext context, String name, Object... arguments) {
        assertThat(context).hasNotFailed();
        context.getBean(JobHooks.class)
                .died(
                        Payload.of(Map.of("class", name, "args", List.of(arguments), "jid", "j1")),
                        new IllegalStateException("enough"));
    }

    private static void assertRefused(AssertableApplicationContext context, String message, String action) {
        assertThat(context).hasFailed();
        assertThat(NestedExceptionUtils.getMostSpecificCause(context.getStartupFailure()))
                .isInstanceOfSatisfying(JobDefinitionException.class, refused -> {
                    assertThat(refused).hasMessageContaining(message);
                    assertThat(refused.action()).contains(action);
                });
    }

    static class Orders {

        static final AtomicInteger created = new AtomicInteger();

        final List<String> said = new ArrayList<>();

        Orders() {
            created.incrementAndGet();
        }

        @Job("ship")
        void ship(long order, String carrier) {}

        @OnDeath("ship")
        @Transactional
        void notShipped(long order, @Nullable Throwable failure) {
            said.add(order + " " + failure + " "
                    + (TransactionSynchronizationManager.isActualTransactionActive() ? "in" : "without")
                    + " a transaction");
        }
    }

    @Test
    void isCalledWithWhatItTakes() {
        runner.withBean(Orders.class).run(context -> {
            dies(context, "ship", 7, "dhl");

            assertThat(context.getBean(Orders.class).said)
                    .containsExactly("7 java.lang.IllegalStateException: enough without a transaction");
        });
    }

    @Configuration(proxyBeanMethods = false)
    @EnableTransactionManagement(proxyTargetClass = true)
    static class ByClass {

        @Bean
        CountingTransactions transactions() {
            return new CountingTransactions();
        }

        @Bean
        Orders orders() {
            return new Orders();
        }
    }

    static final class CountingTransactions extends AbstractPlatformTransactionManager {

        private static final long serialVersionUID = 1L;

        private int committed;

        @Override
        protected Object doGetTransaction() {
            return new Object();
        }

        @Override
        protected void doBegin(Object transaction, TransactionDefinition definition) {}

        @Override
        protected void doCommit(DefaultTransactionStatus status) {
            committed++;
        }

        @Override
        protected void doRollback(DefaultTransactionStatus status) {}
    }

    @Test
    void hasTheTransactionsOfItsBean() {
        runner.withUserConfiguration(ByClass.class).run(context -> {
            dies(context, "ship", 7, "dhl");

            assertThat(context.getBean(CountingTransactions.class).committed).isEqualTo(1);
        });
    }

    @Configuration(proxyBeanMethods = false)
    static class LazyAndPrototype {

        @Bean
        @Lazy
        @Scope("prototype")
        Orders orders() {
            return new Orders();
        }
    }

    @Test
    void aPrototypeIsCreatedForIt() {
        runner.withUserConfiguration(LazyAndPrototype.class).run(context -> {
            int before = Orders.created.get();
            dies(context, "ship", 7, "dhl");

            assertThat(Orders.created.get() - before).isEqualTo(1);
        });
    }

    @OnDeath
    @Retention(RetentionPolicy.RUNTIME)
    @interface LastWord {

        @AliasFor(annotation = OnDeath.class, attribute = "value")
        String[] of() default {};
    }

    interface Notes {

        @LastWord(of = "${app.job}")
        void lost(String note);
    }

    static class Enqueuing implements Notes {

        private final JobClient jobs;
        String said = "";

        Enqueuing(JobClient jobs) {
            this.jobs = jobs;
        }

        @Job("note")
        void note(String note) {}

        @Job("forget")
        void forget() {}

        @Override
        public void lost(String note) {
            said = note + (jobs == null ? "" : "!");
        }
    }

    @Test
    void isFoundByAnotherAnnotationOnAnInterfaceWithPlaceholders() {
        runner.withBean(Enqueuing.class).withPropertyValues("app.job=note").run(context -> {
            dies(context, "note", "milk");

            assertThat(context.getBean(Enqueuing.class).said).isEqualTo("milk!");
        });
    }

    @Configuration(proxyBeanMethods = false)
    static class Handlers {

        final List<String> heard = new ArrayList<>();

        @Bean
        DeathHandler deaths(Orders orders) {
            return (job, failure) -> heard.add(job.jid() + " after " + orders.said.size());
        }

        @Bean
        JobErrorHandler errors() {
            return (error, context, job) -> heard.add(context);
        }
    }

    @Test
    void comesBeforeTheDeathHandlers() {
        runner.withBean(Orders.class).withUserConfiguration(Handlers.class).run(context -> {
            dies(context, "ship", 7, "dhl");

            assertThat(context.getBean(Handlers.class).heard).containsExactly("j1 after 1");
        });
    }

    static final class Urgent implements DeathHandler, PriorityOrdered {

        private final Orders orders;

        private @Nullable Integer said;

        Urgent(Orders orders) {
            this.orders = orders;
        }

        @Override
        public int getOrder() {
            return HIGHEST_PRECEDENCE;
        }

        @Override
        public void died(Payload payload, @Nullable Throwable failure) {
            said = orders.said.size();
        }
    }

    @Test
    void comesBeforeThoseThatComeFirstToo() {
        runner.withBean(Orders.class).withBean(Urgent.class).run(context -> {
            dies(context, "ship", 7, "dhl");

            assertThat(context.getBean(Urgent.class).said).isEqualTo(1);
        });
    }

    /** An application may have one handler and inject it. */
    @Test
    void whatCallsItIsNoDeathHandlerOfTheApplication() {
        runner.withBean(Orders.class).withUserConfiguration(Handlers.class).run(context -> assertThat(context)
                .hasSingleBean(DeathHandler.class));
    }

    @Test
    void errorHandlersHearOfOneThatCannotBeCalledAndTheOthersAreCalled() {
        runner.withBean(Orders.class).withUserConfiguration(Handlers.class).run(context -> {
            dies(context, "ship", "seven", "dhl");

            assertThat(context.getBean(Handlers.class).heard)
                    .containsExactly(
                            "The @OnDeath method " + Orders.class.getName()
                                    + ".notShipped is not called for job ship (jid j1): its arguments can't be read",
                            "j1 after 0");
        });
    }

    @Test
    void noThreadWaitsForADeathIfThereIsNone() {
        runner.run(context ->
                assertThat(context.getBean(JobHooks.class).hearsOfDeaths()).isFalse());
        runner.withBean(Orders.class)
                .run(context -> assertThat(context.getBean(JobHooks.class).hearsOfDeaths())
                        .isTrue());
    }

    static class Private {

        @Job
        void run() {}

        @OnDeath
        @SuppressWarnings("UnusedMethod")
        private void over() {}
    }

    static class Static {

        @Job
        void run() {}

        @OnDeath
        static void over() {}
    }

    static class Returning {

        @Job
        void run() {}

        @OnDeath
        CompletableFuture<String> over() {
            return CompletableFuture.completedFuture("");
        }
    }

    static class OnOtherThread {

        @Job
        void run() {}

        @OnDeath
        @Async
        void over() {}
    }

    static class Misfit {

        @Job
        void run(long number) {}

        @OnDeath
        void over(String number) {}
    }

    static class Alone {

        @OnDeath
        void over() {}
    }

    @Test
    void refusesMethodsThatCannotBeCalledOrAreNoLastWord() {
        String unseen = "so its work would go on when it has returned, and nobody would hear of an error";
        runner.withBean(Private.class)
                .run(context -> assertRefused(
                        context,
                        "The @OnDeath method " + Private.class.getName() + ".over can't be used: it is private",
                        "Make it package-private or public."));
        runner.withBean(Static.class).run(context -> assertRefused(context, "it is static", "Remove the word static."));
        runner.withBean(Returning.class)
                .run(context ->
                        assertRefused(context, "it returns a CompletableFuture, " + unseen, "Wait for the result"));
        runner.withBean(OnOtherThread.class)
                .run(context -> assertRefused(context, "it is @Async, " + unseen, "Remove @Async"));
        runner.withBean(Misfit.class)
                .run(context -> assertRefused(
                        context,
                        "its parameter 1 is a java.lang.String, and that of the job Misfit.run is a long",
                        "Take the job's arguments"));
        runner.withBean(Alone.class)
                .run(context -> assertRefused(
                        context, "Alone.over has no effect: no method of the class is a @Job", "remove @OnDeath"));
        runner.withBean(Enqueuing.class)
                .run(context -> assertRefused(
                        context, "the placeholder in its @OnDeath(value), '${app.job}', can't be resolved", "default"));
    }

    interface Work {

        @Job("work")
        void work();
    }

    static class Worker implements Work {

        @Override
        public void work() {}

        @OnDeath
        @Transactional
        public void over() {}
    }

    @Configuration(proxyBeanMethods = false)
    @EnableTransactionManagement
    static class ByInterface {

        @Bean
        CountingTransactions transactions() {
            return new CountingTransactions();
        }

        @Bean
        Worker worker() {
            return new Worker();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Hiding {

        @Bean
        Work worker() {
            return new Worker();
        }
    }

    @Test
    void refusesMethodsThatTheBeanDoesNotShow() {
        runner.withUserConfiguration(ByInterface.class)
                .run(context -> assertRefused(
                        context, "Worker.over can't be used: its bean is a JDK proxy", "Declare the method in"));
        runner.withUserConfiguration(Hiding.class)
                .run(context -> assertRefused(
                        context,
                        "Worker.over can't be used: the definition of its bean worker does not say that the bean has this method",
                        "Let the @Bean method declare the return type Worker"));
    }
}
