package dev.jobs.spring.autoconfigure.discovery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import dev.jobs.Job;
import dev.jobs.JobClient;
import dev.jobs.JobDefinition;
import dev.jobs.JobDefinitionException;
import dev.jobs.JobParam;
import dev.jobs.JobRegistry;
import dev.jobs.Masked;
import dev.jobs.RetryRule;
import dev.jobs.codec.ParameterType;
import dev.jobs.deaths.OnDeath;
import dev.jobs.limits.Limit;
import dev.jobs.limits.LimitRate;
import dev.jobs.limits.LimitRule;
import dev.jobs.limits.LimitRules;
import dev.jobs.recurring.CronRules;
import dev.jobs.recurring.CronSchedule;
import dev.jobs.recurring.Missed;
import dev.jobs.recurring.Recurrence;
import dev.jobs.recurring.Recurring;
import dev.jobs.retries.DeclaredRetry;
import dev.jobs.retries.Retry;
import dev.jobs.spring.autoconfigure.JobsContext;
import dev.jobs.spring.autoconfigure.beans.PackagePrivateJob;
import dev.jobs.unique.Unique;
import dev.jobs.unique.UniqueRule;
import java.io.IOException;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.aopalliance.intercept.MethodInterceptor;
import org.junit.jupiter.api.Test;
import org.springframework.aop.framework.autoproxy.BeanNameAutoProxyCreator;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.context.PropertyPlaceholderAutoConfiguration;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Primary;
import org.springframework.context.annotation.Scope;
import org.springframework.context.annotation.ScopedProxyMode;
import org.springframework.context.support.SimpleThreadScope;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.core.ResolvableType;
import org.springframework.core.annotation.AliasFor;
import org.springframework.samples.shop.Bills;
import org.springframework.samples.shop.Orders;
import org.springframework.scheduling.annotation.Async;

class JobDiscoveryTests {

    private final ApplicationContextRunner runner = JobsContext.withoutWorker();

    @Test
    void findsJobsOfAnApplicationBelowThePackagesOfSpring() {
        runner.withUserConfiguration(Orders.class)
                .run(context -> assertThat(context.getBean(JobRegistry.class).find("Orders.ship"))
                        .isPresent());
    }

    @Test
    void findsJobsByAnAnnotationOfAnApplicationBelowThePackagesOfSpring() {
        runner.withUserConfiguration(Bills.class)
                .run(context -> assertThat(context.getBean(JobRegistry.class).find("Bills.send"))
                        .isPresent());
    }

    @Test
    void findsPackagePrivateMethodsOfPackagePrivateClasses() {
        runner.withBean(Plain.class).run(context -> {
            run(context, "Plain.run", "argument");

            assertThat(context.getBean(Plain.class).calls).containsExactly("argument");
        });
    }

    @Test
    void findsJobsThatASuperclassBrings() {
        runner.withBean(Inheriting.class).run(context -> {
            run(context, "Inheriting.run", "argument");

            assertThat(context.getBean(Inheriting.class).calls).containsExactly("argument");
        });
    }

    @Test
    void findsDefaultMethodsOfInterfaces() {
        runner.withBean(Greeter.class).run(context -> {
            run(context, "Greeter.greet", "argument");

            assertThat(context.getBean(Greeter.class).greeted).isEqualTo("argument");
        });
    }

    interface Syncing {

        @Unique(key = "shop:{0}")
        void sync(long shop);
    }

    static class Sync implements Syncing {

        @Override
        @Job
        public void sync(long shop) {}
    }

    static class Forgotten {

        @Unique
        void sync(long shop) {}
    }

    @Test
    void findsThatAJobIsUniqueWhereTheInterfaceSaysSo() {
        runner.withBean(Sync.class).run(context -> assertThat(context.getBean(JobRegistry.class)
                        .find("Sync.sync")
                        .orElseThrow()
                        .rule(UniqueRule.class))
                .isNotNull()
                .satisfies(rule -> assertThat(rule.key(List.of(5L))).isEqualTo("shop:5")));
    }

    @Test
    void refusesAUniqueMethodThatIsNoJob() {
        runner.withBean(Forgotten.class).run(context -> assertThat(context)
                .getFailure()
                .hasRootCauseInstanceOf(JobDefinitionException.class)
                .rootCause()
                .hasMessageContaining("Forgotten.sync has no effect: the method is not a @Job"));
    }

    @Test
    void goesByTheTypeOfABeanMethod() {
        runner.withUserConfiguration(BeanMethod.class).run(context -> {
            run(context, "Plain.run", "argument");

            assertThat(context.getBean(Plain.class).calls).containsExactly("argument");
        });
    }

    @Test
    void goesByTheAnnotatedInterfaceThatABeanMethodDeclares() {
        runner.withUserConfiguration(InterfaceMethod.class).run(context -> {
            run(context, "Contract.keep", "argument");

            assertThat(context.getBean(Keeper.class).kept).isEqualTo("argument");
        });
    }

    @Test
    void findsJobsThatAnInterfaceInherits() {
        runner.withBean(NarrowKeeper.class).run(context -> run(context, "NarrowKeeper.keep", "argument"));
        runner.withUserConfiguration(NarrowInterfaceMethod.class)
                .run(context -> run(context, "NarrowContract.keep", "argument"));
    }

    @Test
    void findsWhatAFactoryBeanMakes() {
        runner.withBean(PlainFactory.class).run(context -> {
            run(context, "Plain.run", "argument");

            assertThat(context.getBean(Plain.class).calls).containsExactly("argument");
        });
    }

    @Test
    void createsALazyBeanAtItsFirstJob() {
        runner.withUserConfiguration(LazyBean.class).run(context -> {
            AtomicInteger created = context.getBean(AtomicInteger.class);
            assertThat(created).hasValue(0);

            run(context, "Plain.run", "argument");
            run(context, "Plain.run", "argument");

            assertThat(created).hasValue(1);
        });
    }

    @Test
    void createsAPrototypeForEachJob() {
        runner.withUserConfiguration(PrototypeBean.class).run(context -> {
            AtomicInteger created = context.getBean(AtomicInteger.class);
            assertThat(created).hasValue(0);

            run(context, "Plain.run", "argument");
            run(context, "Plain.run", "argument");

            assertThat(created).hasValue(2);
        });
    }

    @Test
    void findsAScopedBeanOnceAndCallsItThroughItsScope() {
        runner.withUserConfiguration(ScopedBean.class).run(context -> {
            run(context, "Plain.run", "argument");

            assertThat(context.getBean(JobRegistry.class).definitions()).hasSize(1);
            assertThat(context.getBean("scopedTarget.plain", Plain.class).calls).containsExactly("argument");
        });
    }

    @Test
    void callsAdviceOfAProxyByClass() {
        runner.withBean("plain", Plain.class)
                .withUserConfiguration(Advice.class, ByClass.class)
                .run(context -> {
                    run(context, "Plain.run", "argument");

                    assertThat(context.getBean(Advised.class).methods).containsExactly("run");
                });
    }

    @Test
    void callsAdviceOfAProxyByInterface() {
        runner.withBean("plain", Keeper.class)
                .withUserConfiguration(Advice.class, ByInterface.class)
                .run(context -> {
                    run(context, "Keeper.keep", "argument");

                    assertThat(context.getBean(Advised.class).methods).containsExactly("keep");
                });
    }

    @Test
    void refusesAMethodThatAProxyByInterfaceDoesNotHave() {
        runner.withBean("plain", Unreachable.class)
                .withUserConfiguration(Advice.class, ByInterface.class)
                .run(context -> assertRefused(
                        context,
                        "Unreachable.outside can't be used: its bean is a JDK proxy",
                        "Declare the method in an interface"));
    }

    @Test
    void refusesAFinalMethodOnAProxyByClass() {
        runner.withBean("plain", Final.class)
                .withUserConfiguration(Advice.class, ByClass.class)
                .run(context ->
                        assertRefused(context, "Final.run can't be used: it is final", "Remove the word final."));
    }

    @Test
    void acceptsAFinalMethodWithoutAProxy() {
        runner.withBean("plain", Final.class).run(context -> run(context, "Final.run"));
    }

    @Test
    void refusesAMethodThatAProxyByClassDoesNotSee() {
        runner.withBean("plain", Elsewhere.class)
                .withUserConfiguration(Advice.class, ByClass.class)
                .run(context -> assertRefused(
                        context,
                        "Elsewhere.run can't be used: it is package-private in another package",
                        "Make it public or protected."));
        runner.withBean("plain", Plain.class)
                .withUserConfiguration(Advice.class, ByClass.class)
                .run(context -> run(context, "Plain.run", "argument"));
    }

    @Test
    void acceptsAPackagePrivateMethodOfAnotherPackageWithoutAProxy() {
        runner.withBean("plain", Elsewhere.class).run(context -> run(context, "Elsewhere.run"));
    }

    @Test
    void refusesAJobThatADeclaredTypeHides() {
        runner.withUserConfiguration(HidingMethod.class)
                .run(context -> assertRefused(
                        context,
                        "Plain.run can't be used: the definition of its bean hidden does not say that the bean has this method",
                        "Let the @Bean method declare the return type Plain"));
    }

    @Test
    void refusesPrivateMethods() {
        runner.withBean(Private.class)
                .run(context -> assertRefused(
                        context, "Private.run can't be used: it is private", "Make it package-private or public."));
    }

    @Test
    void refusesStaticMethods() {
        runner.withBean(Static.class)
                .run(context ->
                        assertRefused(context, "Static.run can't be used: it is static", "Remove the word static."));
    }

    @Test
    void refusesMethodsThatReturnBeforeTheyAreDone() {
        runner.withBean(Returning.class)
                .run(context -> assertRefused(
                        context, "Returning.run can't be used: it returns a CompletableFuture", "Wait for the result"));
        runner.withBean(OnOtherThread.class)
                .run(context ->
                        assertRefused(context, "OnOtherThread.run can't be used: it is @Async", "Remove @Async"));
    }

    @Test
    void refusesTwoBeansOfOneClass() {
        runner.withBean("one", Plain.class)
                .withBean("two", Plain.class)
                .run(context -> assertRefused(context, "it is the class of the beans one, two", "@Primary"));
    }

    @Test
    void takesThePrimaryOneOfSeveralBeans() {
        runner.withUserConfiguration(OneIsPrimary.class).run(context -> {
            run(context, "Plain.run", "argument");

            assertThat(context.getBean("two", Plain.class).calls).containsExactly("argument");
        });
    }

    @Test
    void refusesTwoJobsOfOneName() {
        runner.withBean(Keeper.class)
                .withBean(SameName.class)
                .run(context -> assertRefused(context, "Two @Job methods have the name 'Keeper.keep'", "another name"));
    }

    @Test
    void heedsAnnotationsThatCarryTheAnnotation() {
        runner.withBean(Composed.class).run(context -> {
            JobDefinition definition = definition(context, "Composed.run");

            assertThat(definition.options()).containsEntry("queue", "mail").containsEntry("retry", 3);
        });
    }

    @Test
    void resolvesTypeVariablesByTheClassOfTheBean() {
        runner.withBean(Closed.class).run(context -> assertThat(
                        definition(context, "Closed.run").parameters())
                .extracting(ParameterType::name, parameter -> ResolvableType.forType(parameter.type())
                        .toString())
                .containsExactly(tuple("one", "java.lang.String"), tuple("many", "java.util.List<java.lang.String>")));
    }

    interface Charges<T> {

        @Job
        void charge(T order, @Masked String card, @JobParam(defaultValue = "${app.currency:EUR}") String currency);
    }

    static class Bank implements Charges<Long> {

        @Override
        public void charge(Long order, String card, String currency) {}
    }

    static class QuietBank extends Bank {

        @Override
        public void charge(Long order, String card, String currency) {}

        @Job("other")
        void charge(String order, String card, String currency) {}
    }

    @Test
    void heedsAnnotationsOfParametersWhereTheInterfaceHasThem() {
        for (Class<?> type : List.of(Bank.class, QuietBank.class)) {
            runner.withBean(type).run(context -> {
                JobDefinition charge = definition(context, type.getSimpleName() + ".charge");

                assertThat(charge.masked()).containsExactly(1);
                assertThat(charge.parameters())
                        .extracting(ParameterType::whenMissing)
                        .containsExactly(null, null, "\"EUR\"");
            });
        }
        runner.withBean(QuietBank.class)
                .run(context -> assertThat(definition(context, "other").masked())
                        .as("another method of the name")
                        .isEmpty());
    }

    @Test
    void handsOnWhatTheMethodThrew() {
        runner.withBean(Failing.class).run(context -> assertThatThrownBy(() -> run(context, "Failing.run"))
                .isExactlyInstanceOf(IOException.class)
                .hasMessage("no luck"));
    }

    @Test
    void knowsJobsBeforeAnyBeanIsInitialized() {
        runner.withBean("first", Early.class)
                .withBean("second", Plain.class)
                .run(context -> assertThat(context.getBean(Early.class).found).containsExactly("Plain.run"));
    }

    @Test
    void leavesARegistryOfTheApplicationAlone() {
        JobRegistry own = new JobRegistry(List.of());
        runner.withBean(JobRegistry.class, () -> own)
                .withBean(Private.class)
                .run(context -> assertThat(context.getBean(JobRegistry.class)).isSameAs(own));
    }

    private static JobDefinition definition(AssertableApplicationContext context, String name) {
        assertThat(context).hasNotFailed();
        return context.getBean(JobRegistry.class).find(name).orElseThrow();
    }

    private static void run(AssertableApplicationContext context, String name, Object... arguments) throws Exception {
        try {
            definition(context, name).invoke(arguments, null);
        } catch (Exception | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new AssertionError(e);
        }
    }

    private static void assertRefused(AssertableApplicationContext context, String message, String action) {
        assertThat(context).hasFailed();
        assertThat(NestedExceptionUtils.getMostSpecificCause(context.getStartupFailure()))
                .isInstanceOfSatisfying(JobDefinitionException.class, refused -> {
                    assertThat(refused).hasMessageContaining(message);
                    assertThat(refused.action()).contains(action);
                });
    }

    static class Plain {

        final List<String> calls = new ArrayList<>();

        @Job
        void run(String argument) {
            calls.add(argument);
        }
    }

    static class Inheriting extends Plain {}

    interface Greets {

        @Job
        default void greet(String whom) {
            greeted(whom);
        }

        void greeted(String whom);
    }

    static class Greeter implements Greets {

        String greeted = "";

        @Override
        public void greeted(String whom) {
            greeted = whom;
        }
    }

    interface Contract {

        @Job
        void keep(String what);
    }

    static class Keeper implements Contract {

        String kept = "";

        @Override
        public void keep(String what) {
            kept = what;
        }
    }

    interface NarrowContract extends Contract {}

    static class NarrowKeeper implements NarrowContract {

        @Override
        public void keep(String what) {}
    }

    static class SameName {

        @Job("Keeper.keep")
        void run() {}
    }

    static class PlainFactory implements FactoryBean<Plain> {

        private final Plain plain = new Plain();

        @Override
        public Plain getObject() {
            return plain;
        }

        @Override
        public Class<?> getObjectType() {
            return Plain.class;
        }
    }

    static class Unreachable implements Contract {

        @Override
        public void keep(String what) {}

        @Job
        public void outside() {}
    }

    static class Final {

        @Job
        final void run() {}
    }

    static class Elsewhere extends PackagePrivateJob {}

    static class Private {

        @Job
        @SuppressWarnings("UnusedMethod")
        private void run() {}
    }

    static class Static {

        @Job
        static void run() {}
    }

    static class Returning {

        @Job
        CompletableFuture<String> run() {
            return CompletableFuture.completedFuture("");
        }
    }

    static class OnOtherThread {

        @Job
        @Async
        void run() {}
    }

    static class Failing {

        @Job
        void run() throws IOException {
            throw new IOException("no luck");
        }
    }

    @Job(retry = 3)
    @Target(ElementType.METHOD)
    @Retention(RetentionPolicy.RUNTIME)
    @interface MailJob {

        @AliasFor(annotation = Job.class)
        String queue() default "mail";
    }

    static class Composed {

        @MailJob
        void run() {}
    }

    abstract static class Open<T> {

        @Job
        void run(T one, List<T> many) {}
    }

    static class Closed extends Open<String> {}

    static class Early implements InitializingBean {

        private final JobRegistry registry;
        private List<String> found = List.of();

        Early(JobRegistry registry, JobClient client) {
            this.registry = registry;
        }

        @Override
        public void afterPropertiesSet() {
            found = registry.definitions().stream().map(JobDefinition::name).toList();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class BeanMethod {

        @Bean
        Plain plain() {
            return new Plain();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class InterfaceMethod {

        @Bean
        Contract contract() {
            return new Keeper();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class NarrowInterfaceMethod {

        @Bean
        NarrowContract contract() {
            return new NarrowKeeper();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class HidingMethod {

        @Bean
        Object hidden() {
            return new Plain();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class LazyBean {

        @Bean
        AtomicInteger created() {
            return new AtomicInteger();
        }

        @Bean
        @Lazy
        Plain plain(AtomicInteger created) {
            created.incrementAndGet();
            return new Plain();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class PrototypeBean {

        @Bean
        AtomicInteger created() {
            return new AtomicInteger();
        }

        @Bean
        @Scope("prototype")
        Plain plain(AtomicInteger created) {
            created.incrementAndGet();
            return new Plain();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class ScopedBean {

        @Bean
        static org.springframework.beans.factory.config.BeanFactoryPostProcessor scope() {
            return beanFactory -> beanFactory.registerScope("thread", new SimpleThreadScope());
        }

        @Bean
        @Scope(scopeName = "thread", proxyMode = ScopedProxyMode.TARGET_CLASS)
        Plain plain() {
            return new Plain();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class OneIsPrimary {

        @Bean
        Plain one() {
            return new Plain();
        }

        @Bean
        @Primary
        Plain two() {
            return new Plain();
        }
    }

    static class Configured {

        @Job(
                value = "${app.name}",
                aliases = {"old", "${app.name}.old"},
                queue = "${app.queue}",
                retryQueue = "${app.queue}-retries",
                cron = "${reports.cron}",
                zone = "${reports.zone}",
                timeout = "${app.timeout:90s}",
                expiresIn = "${app.expiry:1h}",
                key = "${app.key:}",
                tags = "${app.name}")
        @Limit(name = "${app.name}-limit", key = "${app.key:}", rate = 1, per = "${app.per:10s}")
        void report(@JobParam(defaultValue = "${app.days:30}") int days) {}

        @Job(cron = "${reports.off:-}")
        void off() {}

        @Job
        @Recurring(every = "${app.every:90s}", missed = Missed.SKIP)
        void often() {}

        @Job
        @Recurring(delay = "${app.seldom:-}")
        void never() {}

        @Job
        @Unique(key = "${app.unique:{0}}", forAtMost = "${app.lock:1h}") @Retry(delay = "${app.delay:10s}", maxDelay = "${app.longest:1m}", jitter = "${app.jitter:1s}")
        void once(long shop) {}

        @Job
        @Retry(policyName = "${app.policy:patient}")
        void later() {}

        @OnDeath("${app.method:report}")
        void over(int days) {}
    }

    /** Any text of an annotation: where one is added, it is resolved like the others. */
    private static final Set<String> CONFIGURED = Set.of(
            "Job.value",
            "Job.aliases",
            "Job.queue",
            "Job.retryQueue",
            "Job.cron",
            "Job.zone",
            "Job.timeout",
            "Job.expiresIn",
            "Job.key",
            "Job.tags",
            "Limit.name",
            "Limit.key",
            "Limit.per",
            "Unique.key",
            "Unique.forAtMost",
            "Retry.delay",
            "Retry.maxDelay",
            "Retry.jitter",
            "Retry.policyName",
            "OnDeath.value",
            "Recurring.every",
            "Recurring.delay",
            "JobParam.defaultValue");

    @Test
    void textsOfAnnotationsMayHavePlaceholders() {
        runner.withBean(Configured.class)
                .withPropertyValues(
                        "app.name=report", "app.queue=low", "reports.cron=0 2 * * *", "reports.zone=Europe/Berlin")
                .run(context -> {
                    JobRegistry registry = context.getBean(JobRegistry.class);
                    JobDefinition report = registry.find("report").orElseThrow();
                    assertThat(report.allNames()).containsExactly("report", "old", "report.old");
                    assertThat(report.options())
                            .containsEntry("queue", "low")
                            .containsEntry("retry_queue", "low-retries")
                            .containsEntry("timeout", 90L)
                            .containsEntry("expires_in", 3600L)
                            .containsEntry("tags", List.of("report"));
                    assertThat(CronSchedule.of(report)).hasToString("0 2 * * * Europe/Berlin");
                    assertThat(LimitRules.of(report))
                            .extracting(LimitRule::name, LimitRule::rate)
                            .containsExactly(tuple("report-limit", new LimitRate(1, Duration.ofSeconds(10), 1)));
                    assertThat(report.parameters())
                            .extracting(ParameterType::whenMissing)
                            .containsExactly("30");
                    assertThat(CronRules.isOff(registry.find("Configured.off").orElseThrow()))
                            .isTrue();
                    assertThat(Recurrence.of(registry.find("Configured.often").orElseThrow()))
                            .isEqualTo(Recurrence.every(Duration.ofSeconds(90)).missed(Missed.SKIP));
                    assertThat(CronRules.isOff(registry.find("Configured.never").orElseThrow()))
                            .isTrue();
                    assertThat(registry.find("Configured.once").orElseThrow().rule(UniqueRule.class))
                            .isNotNull();
                    assertThat(registry.find("Configured.once").orElseThrow().rule(DeclaredRetry.class))
                            .extracting(DeclaredRetry::delays)
                            .isEqualTo(new RetryRule(
                                    Duration.ofSeconds(10), 1, Duration.ofMinutes(1), Duration.ofSeconds(1), null));
                    assertThat(registry.find("Configured.later").orElseThrow().rule(DeclaredRetry.class))
                            .extracting(DeclaredRetry::policyName)
                            .isEqualTo("patient");
                });
    }

    @Test
    void everyTextOfAnAnnotationIsAmongThem() {
        assertThat(Stream.of(
                                Job.class,
                                Limit.class,
                                Unique.class,
                                Retry.class,
                                OnDeath.class,
                                Recurring.class,
                                JobParam.class)
                        .flatMap(type -> Stream.of(type.getDeclaredMethods()))
                        .filter(each -> each.getReturnType() == String.class || each.getReturnType() == String[].class)
                        .map(each -> each.getDeclaringClass().getSimpleName() + "." + each.getName()))
                .containsExactlyInAnyOrderElementsOf(CONFIGURED);
    }

    static class Unconfigured {

        @Job(queue = "${app.queue}")
        void run() {}
    }

    @Test
    void anUnresolvedPlaceholderEndsTheStart() {
        String message = "The @Job method " + Unconfigured.class.getName()
                + ".run can't be used: the placeholder in its @Job(queue), '${app.queue}', can't be resolved";
        runner.withBean(Unconfigured.class).run(context -> assertThat(context)
                .getFailure()
                .hasRootCauseInstanceOf(JobDefinitionException.class)
                .hasStackTraceContaining(message));
        runner.withBean(Unconfigured.class)
                .withConfiguration(AutoConfigurations.of(PropertyPlaceholderAutoConfiguration.class))
                .run(context -> assertThat(context).getFailure().hasStackTraceContaining(message));
    }

    static class Advised {

        final List<String> methods = new ArrayList<>();
    }

    @Configuration(proxyBeanMethods = false)
    static class Advice {

        @Bean
        static Advised advised() {
            return new Advised();
        }

        @Bean
        static MethodInterceptor advice(Advised advised) {
            return call -> {
                advised.methods.add(call.getMethod().getName());
                return call.proceed();
            };
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class ByClass {

        @Bean
        static BeanNameAutoProxyCreator proxies() {
            return proxyCreator(true);
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class ByInterface {

        @Bean
        static BeanNameAutoProxyCreator proxies() {
            return proxyCreator(false);
        }
    }

    private static BeanNameAutoProxyCreator proxyCreator(boolean byClass) {
        BeanNameAutoProxyCreator creator = new BeanNameAutoProxyCreator();
        creator.setBeanNames("plain");
        creator.setInterceptorNames("advice");
        creator.setProxyTargetClass(byClass);
        return creator;
    }
}
