package dev.jobs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jobs.codec.ParameterType;
import dev.jobs.limits.Limit;
import dev.jobs.limits.LimitRate;
import dev.jobs.limits.LimitRule;
import dev.jobs.limits.LimitRules;
import dev.jobs.ordered.JobOrder;
import dev.jobs.recurring.CronRules;
import dev.jobs.recurring.CronSchedule;
import dev.jobs.testing.InheritingJobs;
import dev.jobs.unique.Unique;
import java.io.InputStream;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Which {@link Job} methods are found, what is refused, and which job a method reference names. */
class JobRegistryTests {

    private static final JobContext NO_CONTEXT = (JobContext) Proxy.newProxyInstance(
            JobRegistryTests.class.getClassLoader(), new Class<?>[] {JobContext.class}, (proxy, method, given) -> null);

    static class Emails {
        @Job(queue = "mail", retry = 8)
        void welcome(String to, int visits) {}

        @Job(
                value = "HardWorker",
                aliases = {"OldWorker"},
                retry = Job.NONE,
                retryFor = 60,
                retryQueue = "low",
                dead = false,
                backtrace = 5,
                expiresIn = "1h30m",
                timeout = "5m",
                timeoutRetry = false,
                interruptible = true,
                tags = {"a", "b"})
        void hard(String name, long count, JobContext job) {}

        void plain() {}
    }

    static class SpecialEmails extends Emails {
        @Override
        void welcome(String to, int visits) {}
    }

    interface Greeter {
        @Job
        default void greet(String name) {}
    }

    static class Hello implements Greeter {}

    static class Bye implements Greeter {}

    static JobDefinition define(Class<?> type, String method) {
        Method found = Arrays.stream(type.getMethods())
                .filter(each -> each.getName().equals(method))
                .findFirst()
                .orElseGet(() -> Arrays.stream(type.getDeclaredMethods())
                        .filter(each -> each.getName().equals(method))
                        .findFirst()
                        .orElseThrow());
        @Nullable Job job = found.getAnnotation(Job.class);
        if (job == null) {
            throw new AssertionError(method + " has no @Job");
        }
        return JobDefinition.of(job, type, found, List.of(found.getGenericParameterTypes()), arguments -> null);
    }

    @Test
    void theNameDefaultsToClassAndMethodAndOptionsToWhatTheWireNeeds() {
        JobDefinition welcome = define(Emails.class, "welcome");
        assertThat(welcome.name()).isEqualTo("Emails.welcome");
        assertThat(welcome.options()).isEqualTo(java.util.Map.of("retry", 8, "queue", "mail"));
        assertThat(welcome.parameters()).extracting(each -> each.name()).containsExactly("to", "visits");
        assertThat(welcome.takesContext()).isFalse();
    }

    @Test
    void everyOptionBecomesAMemberOfThePayload() {
        JobDefinition hard = define(Emails.class, "hard");
        assertThat(hard.allNames()).containsExactly("HardWorker", "OldWorker");
        assertThat(hard.options().toString())
                .isEqualTo(
                        "{retry=false, queue=default, retry_for=60, retry_queue=low, dead=false, backtrace=5, expires_in=5400, timeout=300, timeout_retry=false, tags=[a, b]}");
        assertThat(hard.parameters()).hasSize(2);
        assertThat(hard.takesContext()).isTrue();
    }

    @Test
    void theContextIsGivenToTheMethodAsItsLastArgument() throws Throwable {
        List<Object> given = new ArrayList<>();
        Method method = Emails.class.getDeclaredMethod("hard", String.class, long.class, JobContext.class);
        JobDefinition hard = JobDefinition.of(
                method.getAnnotation(Job.class),
                Emails.class,
                method,
                List.of(method.getGenericParameterTypes()),
                arguments -> given.addAll(Arrays.asList(arguments)));
        hard.invoke(new Object[] {"x", 1L}, NO_CONTEXT);
        assertThat(given).hasSize(3);
        assertThat(given.get(2)).isSameAs(NO_CONTEXT);
    }

    static class Overloaded {
        @Job
        void send(String to) {}

        @Job
        void send(String to, int visits) {}
    }

    @Test
    void overloadsOfOneNameAreToldApartByTheirParameters() {
        assertThatThrownBy(() -> JobRegistry.of(new Overloaded()))
                .isInstanceOfSatisfying(JobDefinitionException.class, refused -> assertThat(refused.action())
                        .startsWith("Rename one of these methods"))
                .hasMessageContainingAll(
                        "'Overloaded.send'", "Overloaded.send(String)", "Overloaded.send(String, int)");
    }

    static class Base {
        final List<String> done = new ArrayList<>();

        @Job("inherited")
        void inherited(String what) {
            done.add(what);
        }

        @Job("base")
        void overridden(String what) {
            done.add("old " + what);
        }
    }

    static final class Derived extends Base {
        @Override
        @Job("base")
        void overridden(String what) {
            done.add("new " + what);
        }

        @Job
        int fail(int number) {
            throw new IllegalStateException("number " + number);
        }
    }

    @Test
    void plainObjectsAreJobsWithoutSpring() throws Throwable {
        Derived jobs = new Derived();
        JobRegistry registry = JobRegistry.of(jobs);

        registry.find("inherited").orElseThrow().invoke(new Object[] {"this"}, NO_CONTEXT);
        registry.find("base").orElseThrow().invoke(new Object[] {"that"}, NO_CONTEXT);
        assertThat(jobs.done).containsExactly("this", "new that");
        assertThatThrownBy(() -> registry.find("Derived.fail").orElseThrow().invoke(new Object[] {7}, NO_CONTEXT))
                .isExactlyInstanceOf(IllegalStateException.class)
                .hasMessage("number 7");
    }

    static class Hidden {
        String done = "";

        @Job("visible")
        public void visible(String what) {
            done = what;
        }
    }

    /** The compiler gives it a bridge to the inherited method, with its annotation. */
    public static final class Shown extends Hidden {}

    @Test
    void jobsOfAClassThatIsNotPublicAreInheritedAsWell() throws Throwable {
        Shown jobs = new Shown();
        assertThat(Shown.class.getDeclaredMethods()).singleElement().matches(Method::isBridge);

        JobRegistry.of(jobs).find("visible").orElseThrow().invoke(new Object[] {"this"}, NO_CONTEXT);

        assertThat(jobs.done).isEqualTo("this");
    }

    static class Of<T> {
        @Job("generic")
        void generic(T what) {}
    }

    static final class OfText extends Of<String> {
        @Override
        void generic(String what) {}
    }

    @Test
    void aMethodThatIsOverriddenWithOtherTypesIsNoJob() {
        assertThat(JobRegistry.of(new OfText()).definitions()).isEmpty();
    }

    interface Auditing {
        @Job("audit")
        default void audit(String what) {}

        @Job("gone")
        default void gone(String what) {}

        @Job("replaced")
        default void replaced(String what) {}
    }

    interface Quiet extends Auditing {
        @Override
        default void gone(String what) {}
    }

    static class Ledger implements Auditing {
        @Override
        public void replaced(String what) {}
    }

    static final class QuietLedger extends Ledger implements Quiet {}

    @Test
    void defaultMethodsOfInterfacesAreJobsUnlessTheyAreOverridden() {
        assertThat(JobRegistry.of(new Ledger()).definitions())
                .extracting(JobDefinition::name)
                .containsExactlyInAnyOrder("audit", "gone");
        assertThat(JobRegistry.of(new QuietLedger()).definitions())
                .extracting(JobDefinition::name)
                .containsExactly("audit");
    }

    static final class OnceOfText extends Of<String> {
        @Override
        @Job("once")
        @Unique
        void generic(String what) {}
    }

    /** The compiler gives it a bridge with the same annotations. */
    @Test
    void aJobThatIsOverriddenWithOtherTypesMayBeUnique() {
        assertThat(JobRegistry.of(new OnceOfText()).definitions())
                .extracting(JobDefinition::name)
                .containsExactly("once");
    }

    static class Wrong {
        @Job(queue = "a b")
        void queue() {}

        @Job(retryQueue = "é")
        void retryQueue() {}

        @Job(retry = -2)
        void retry() {}

        @Job(retry = 1_001)
        void tooOften() {}

        @Job(retryFor = -1)
        void retryFor() {}

        @Job(backtrace = -1)
        void backtrace() {}

        @Job("a|b")
        void pipe() {}

        @Job("  ")
        void blank() {}

        @Job(aliases = "a\nb")
        void alias() {}

        @Job
        void stream(InputStream in) {}

        @Job
        void function(String ok, Callable<String> call) {}

        @Job
        void contextFirst(JobContext job, String x) {}

        @Job
        void badDefault(@JobParam(defaultValue = "five") int count) {}

        @Job
        void deadDefault(@JobParam(defaultValue = "5") int count, String after) {}

        @Job(ignoredArguments = -1)
        void ignores() {}

        @Job(expiresIn = "soon")
        void expires() {}

        @Job(expiresIn = "0s")
        void expiresAtOnce() {}

        @Job(expiresIn = "9999999999d")
        void expiresNever() {}

        @Job(expiresIn = "-1h")
        void expiredBefore() {}

        @Job(timeout = "soon")
        void timesOut() {}

        @Job(timeout = "-1s")
        void timesOutBefore() {}

        @Job(timeout = "0s")
        void timesOutAtOnce() {}
    }

    @Test
    void anInvalidMethodIsRefusedWithTheCauseItsNameAndTheRemedy() {
        for (String method : List.of(
                "queue",
                "retryQueue",
                "retry",
                "tooOften",
                "retryFor",
                "backtrace",
                "pipe",
                "blank",
                "alias",
                "stream",
                "function",
                "contextFirst",
                "badDefault",
                "deadDefault",
                "ignores",
                "expires",
                "expiresAtOnce",
                "expiresNever",
                "expiredBefore",
                "timesOut",
                "timesOutBefore",
                "timesOutAtOnce")) {
            assertThatThrownBy(() -> define(Wrong.class, method))
                    .as(method)
                    .isInstanceOfSatisfying(JobDefinitionException.class, e -> {
                        assertThat(e).hasMessageContaining(Wrong.class.getName() + "." + method);
                        assertThat(e.action()).isNotBlank();
                    });
        }
    }

    static class Grown {
        @Job
        void declared(
                String to,
                @JobParam(defaultValue = "5") int visits,
                Optional<String> note,
                @Nullable String language,
                @JobParam(defaultValue = "[\"a\"]") List<String> tags,
                JobContext job) {}

        @Job(ignoredArguments = 2)
        void shrunk(@Masked String to, String rest) {}

        @Job(cron = "0 2 * * *")
        void nightly(@JobParam(defaultValue = "30") int days) {}
    }

    static class Timed {
        @Job(timeout = "700ms", expiresIn = "1m500ms")
        @Unique(forAtMost = "5ms") @Limit(name = "api", rate = 1, per = "250ms")
        void quick() {}

        @Job(cron = "-", zone = "Europe/Berlin")
        void off() {}
    }

    @Test
    void timesMayBeShorterThanASecond() {
        JobDefinition quick = define(Timed.class, "quick");
        assertThat(quick.options()).containsEntry("timeout", 0.7).containsEntry("expires_in", 60.5);
        assertThat(LimitRules.of(quick))
                .extracting(LimitRule::rate)
                .containsExactly(new LimitRate(1, Duration.ofMillis(250), 1));
    }

    @Test
    void aScheduleIsTurnedOff() {
        JobDefinition off = define(Timed.class, "off");
        assertThat(CronSchedule.of(off)).isNull();
        assertThat(CronRules.isOff(off)).isTrue();
        assertThat(CronRules.isOff(define(Grown.class, "nightly"))).isFalse();
    }

    @Test
    void parametersDeclareTheirValuesForJobsWithoutTheirArguments() {
        JobDefinition declared = define(Grown.class, "declared");
        assertThat(declared.parameters())
                .extracting(ParameterType::whenMissing)
                .containsExactly(null, "5", "null", "null", "[\"a\"]");
        assertThat(declared.requiredArguments()).isOne();
        assertThat(define(Grown.class, "nightly").requiredArguments()).isZero();
    }

    @Test
    void ignoredArgumentsAreMaskedAsTheParametersThatTheyHadMayHaveBeen() {
        JobDefinition shrunk = define(Grown.class, "shrunk");
        assertThat(shrunk.ignoredArguments()).isEqualTo(2);
        assertThat(shrunk.requiredArguments()).isEqualTo(2);
        assertThat(shrunk.masked()).containsExactlyInAnyOrder(0, 2, 3);
    }

    interface Accounts<T> {
        void open(@Masked(dropTexts = true) List<T> owners, @Nullable String note);
    }

    abstract static class Branch<K> {
        abstract void close(@Masked K account, @JobParam(defaultValue = "5") int days);

        @Job("audit")
        public void audit(List<Integer> owners, String note) {}
    }

    interface Audits {
        void audit(List<Integer> owners, @Masked String note);
    }

    static class City extends Branch<Integer> implements Accounts<String>, Audits {
        @Override
        @Job("open")
        public void open(List<String> owners, String note) {}

        @Job("other")
        void open(String owners, String note) {}

        @Override
        @Job("close")
        void close(Integer account, int days) {}
    }

    @Test
    void parametersHaveTheAnnotationsOfTheMethodsThatOneOverridesOrImplements() {
        JobRegistry registry = JobRegistry.of(new City());
        JobDefinition open = registry.find("open").orElseThrow();
        assertThat(open.masked()).containsExactly(0);
        assertThat(open.dropsTexts()).isTrue();
        assertThat(open.parameters()).extracting(ParameterType::whenMissing).containsExactly(null, "null");
        JobDefinition close = registry.find("close").orElseThrow();
        assertThat(close.masked()).containsExactly(0);
        assertThat(close.dropsTexts()).isFalse();
        assertThat(close.parameters()).extracting(ParameterType::whenMissing).containsExactly(null, "5");
        assertThat(registry.find("audit").orElseThrow().masked())
                .as("an inherited method implements one of an interface")
                .containsExactly(1);
        assertThat(registry.find("other").orElseThrow().masked())
                .as("another method of the name")
                .isEmpty();
    }

    static class Cards {
        record Card(String number, String owner) {}

        @Job(key = "{1}")
        void byPosition(String shop, @Masked String card) {}

        @Job(key = "shop-{shop}/{card.owner}")
        void byMember(String shop, @Masked Card card) {}

        @Job
        @Limit(name = "bank", key = "{card}", concurrency = 1)
        void limited(String shop, @Masked String card) {}

        @Job(key = "{shop}")
        @Limit(name = "bank", key = "{0}", concurrency = 1)
        @Unique(key = "{card}")
        void byDigest(String shop, @Masked String card) {}
    }

    /** Keys are shown where arguments are hidden. */
    @Test
    void noKeyThatIsShownIsMadeOfAMaskedArgument() {
        for (String method : List.of("byPosition", "byMember", "limited")) {
            assertThatThrownBy(() -> define(Cards.class, method))
                    .isInstanceOfSatisfying(JobDefinitionException.class, e -> {
                        assertThat(e)
                                .hasMessageContaining("Cards." + method + " can't be used")
                                .hasMessageContaining("names the parameter 'card', which is @Masked");
                        assertThat(e.action()).contains("remove @Masked");
                    });
        }
        Payload job = Payload.of(Map.of("args", List.of("s1", "4111")));
        assertThat(JobOrder.key(job, define(Cards.class, "byDigest"))).isEqualTo("s1");
    }

    @Test
    void twoMethodsOfOneNameAreRefusedAndBothAreNamed() {
        JobDefinition one = define(Hello.class, "greet");
        assertThatThrownBy(() -> new JobRegistry(List.of(one, define(Hello.class, "greet"))))
                .isInstanceOf(JobDefinitionException.class)
                .hasMessageContaining("Hello.greet");
    }

    @Test
    void aJobIsFoundByNameAndAlias() {
        JobRegistry registry = new JobRegistry(List.of(define(Emails.class, "hard")));
        assertThat(registry.find("HardWorker")).isPresent();
        assertThat(registry.find("OldWorker")).isEqualTo(registry.find("HardWorker"));
        assertThat(registry.find("hardworker")).isEmpty();
        assertThat(registry.find(null)).isEmpty();
    }

    private static JobMethod welcome(JobMethod.P2<Emails, String, Integer> reference) {
        return reference;
    }

    private static JobMethod special(JobMethod.P2<SpecialEmails, String, Integer> reference) {
        return reference;
    }

    private static JobMethod greet(JobMethod.P1<Hello, String> reference) {
        return reference;
    }

    private static JobMethod greeter(JobMethod.P1<Greeter, String> reference) {
        return reference;
    }

    private static JobMethod hard(JobMethod.C2<Emails, String, Long> reference) {
        return reference;
    }

    private static JobMethod plain(JobMethod.P0<Emails> reference) {
        return reference;
    }

    @Test
    void aMethodReferenceNamesItsJob() {
        JobRegistry registry = new JobRegistry(
                List.of(define(Emails.class, "welcome"), define(Emails.class, "hard"), define(Hello.class, "greet")));
        assertThat(registry.resolve(welcome(Emails::welcome)).name()).isEqualTo("Emails.welcome");
        assertThat(registry.resolve(hard(Emails::hard)).name()).isEqualTo("HardWorker");
        assertThat(registry.resolve(greet(Hello::greet)).name()).isEqualTo("Hello.greet");
        assertThat(registry.resolve(greeter(Greeter::greet)).name()).isEqualTo("Hello.greet");
    }

    @Test
    void aReferenceToNoJobToALambdaOrToOneOfSeveralIsRefused() {
        JobRegistry registry = new JobRegistry(
                List.of(define(Emails.class, "welcome"), define(Hello.class, "greet"), define(Bye.class, "greet")));
        assertThatThrownBy(() -> registry.resolve(plain(Emails::plain)))
                .isInstanceOf(InvalidJobException.class)
                .hasMessageContaining("Emails::plain is not a @Job method");
        assertThatThrownBy(() -> registry.resolve(welcome((emails, to, visits) -> emails.welcome(to, visits))))
                .isInstanceOf(InvalidJobException.class)
                .hasMessageContaining("A lambda can't be enqueued");
        assertThatThrownBy(() -> registry.resolve(greeter(Greeter::greet)))
                .isInstanceOf(InvalidJobException.class)
                .hasMessageContaining("Hello.greet")
                .hasMessageContaining("Bye.greet");
        assertThat(registry.resolve(greet(Hello::greet)).type()).isEqualTo(Hello.class);
        assertThatThrownBy(() -> registry.resolve(special(SpecialEmails::welcome)))
                .isInstanceOf(InvalidJobException.class);
    }

    interface Handler<T> {
        Object handle(T what);
    }

    static final class TextHandler implements Handler<String> {
        @Override
        @Job("text")
        public String handle(String what) {
            return what;
        }

        @Job("number")
        public void handle(Integer what) {}
    }

    @Test
    void aReferenceMayNameAMethodThatTheJobOverrides() {
        JobMethod.P1<Handler<String>, String> reference = Handler::handle;
        assertThat(JobRegistry.of(new TextHandler()).resolve(reference).name()).isEqualTo("text");
    }

    static final class Varying {
        @Job("Varying.all")
        void all(String... names) {}
    }

    @Test
    void aReferenceThatTheCompilerTurnsIntoALambdaIsRefusedWithTheWayOut() {
        JobMethod.P1<InheritingJobs, String> inherited = InheritingJobs::inherited;
        JobMethod.P1<Varying, String> one = Varying::all;
        JobMethod.P1<Varying, String[]> array = Varying::all;
        JobRegistry registry = JobRegistry.of(new InheritingJobs(), new Varying());

        assertThatThrownBy(() -> registry.resolve(inherited))
                .isInstanceOf(InvalidJobException.class)
                .hasMessage("A lambda can't be enqueued, since its code isn't stored (in "
                        + JobRegistryTests.class.getName()
                        + "); pass a reference to a @Job method such as Emails::welcome. If it is one, the compiler made a"
                        + " lambda of it, as it does if the method takes variable arguments or is inherited from a class"
                        + " that is not public: enqueue the job by its name (one of \"Inherited\")");
        assertThatThrownBy(() -> registry.resolve(one))
                .isInstanceOf(InvalidJobException.class)
                .hasMessageEndingWith(
                        "enqueue the job by its name (one of \"Varying.all\"), or put the reference into a"
                                + " variable first, as in JobMethod.P1<Emails, String[]>");
        assertThat(registry.resolve(array).name()).isEqualTo("Varying.all");
    }
}
