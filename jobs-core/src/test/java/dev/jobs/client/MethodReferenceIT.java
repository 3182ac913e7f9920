package dev.jobs.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jobs.InvalidJobException;
import dev.jobs.Job;
import dev.jobs.JobContext;
import dev.jobs.JobMethod;
import dev.jobs.assembly.RedisJobClient;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class MethodReferenceIT {

    @AutoClose
    @RegisterExtension
    static final ClientTestBed bed = new ClientTestBed();

    static class Plain {
        @Job
        void none() {}

        @Job
        void one(String a) {}

        @Job
        void two(String a, int b) {}

        @Job
        long three(String a, int b, long c) {
            return c;
        }

        @Job
        void four(String a, int b, long c, List<String> d) throws Exception {}

        @Job
        void five(String a, int b, long c, List<String> d, boolean e) {}

        @Job
        void six(String a, int b, long c, List<String> d, boolean e, Double f) {}
    }

    static final class WithContext {
        @Job
        void none(JobContext job) {}

        @Job
        void one(String a, JobContext job) {}

        @Job
        void two(String a, int b, JobContext job) {}

        @Job
        void three(String a, int b, long c, JobContext job) {}

        @Job
        void four(String a, int b, long c, List<String> d, JobContext job) {}

        @Job
        void five(String a, int b, long c, List<String> d, boolean e, JobContext job) throws java.io.IOException {}

        @Job
        void six(String a, int b, long c, List<String> d, boolean e, Double f, JobContext job) {}
    }

    static final class Renamed {
        @Job(value = "New", aliases = "Old")
        void run() {}

        void unmarked() {}

        static void noInstance(String text) {}
    }

    abstract static class Base {
        @Job
        void inherited(String a) {}
    }

    static final class Left extends Base {}

    static final class Right extends Base {}

    static final class Overloads {
        @Job("Send")
        void send(String a) {}

        @Job("Send twice")
        void send(String a, int b) {}
    }

    interface Cleaning {
        @Job
        default void clean(String a) {}
    }

    static final class Cleaner implements Cleaning {}

    @Test
    void findsMethodsOfEveryArity() {
        RedisJobClient jobs = bed.client(Plain.class);
        jobs.enqueue(Plain::none);
        jobs.enqueue(Plain::one, "a");
        jobs.enqueue(Plain::two, "a", 2);
        jobs.enqueue(Plain::three, "a", 2, 3L);
        jobs.enqueue(Plain::four, "a", 2, 3L, List.of("d"));
        jobs.enqueue(Plain::five, "a", 2, 3L, List.of("d"), true);
        jobs.enqueue(Plain::six, "a", 2, 3L, List.of("d"), true, 6.5);

        assertThat(stored())
                .containsExactly(
                        "Plain.none []",
                        "Plain.one [\"a\"]",
                        "Plain.two [\"a\",2]",
                        "Plain.three [\"a\",2,3]",
                        "Plain.four [\"a\",2,3,[\"d\"]]",
                        "Plain.five [\"a\",2,3,[\"d\"],true]",
                        "Plain.six [\"a\",2,3,[\"d\"],true,6.5]");
    }

    @Test
    void findsMethodsOfEveryArityThatTakeAContextWithoutPassingIt() {
        RedisJobClient jobs = bed.client(WithContext.class);
        jobs.enqueue(WithContext::none);
        jobs.enqueue(WithContext::one, "a");
        jobs.enqueue(WithContext::two, "a", 2);
        jobs.enqueue(WithContext::three, "a", 2, 3L);
        jobs.enqueue(WithContext::four, "a", 2, 3L, List.of("d"));
        jobs.enqueue(WithContext::five, "a", 2, 3L, List.of("d"), true);
        jobs.enqueue(WithContext::six, "a", 2, 3L, List.of("d"), true, 6.5);

        assertThat(stored())
                .containsExactly(
                        "WithContext.none []",
                        "WithContext.one [\"a\"]",
                        "WithContext.two [\"a\",2]",
                        "WithContext.three [\"a\",2,3]",
                        "WithContext.four [\"a\",2,3,[\"d\"]]",
                        "WithContext.five [\"a\",2,3,[\"d\"],true]",
                        "WithContext.six [\"a\",2,3,[\"d\"],true,6.5]");
    }

    @Test
    void takesNullForAnArgument() {
        bed.client(Plain.class).enqueue(Plain::one, null);

        assertThat(stored()).containsExactly("Plain.one [null]");
    }

    @Test
    void storesUnderTheWireNameAndNotUnderAnAlias() {
        bed.client(Renamed.class).enqueue(Renamed::run);

        assertThat(stored()).containsExactly("New []");
    }

    @Test
    void enqueuesOneJobForEachElement() {
        RedisJobClient jobs = bed.client(Plain.class, WithContext.class);
        jobs.enqueueAll(Plain::one, List.of("x", "y"));
        jobs.enqueueAll(WithContext::one, List.of("z"));

        assertThat(stored()).containsExactly("Plain.one [\"x\"]", "Plain.one [\"y\"]", "WithContext.one [\"z\"]");
    }

    @Test
    void findsAnInheritedMethodByTheClassInFrontOfIt() {
        RedisJobClient jobs = bed.client(Left.class, Right.class);
        jobs.enqueue(Left::inherited, "l");
        jobs.enqueue(Right::inherited, "r");

        assertThat(stored()).containsExactly("Left.inherited [\"l\"]", "Right.inherited [\"r\"]");
    }

    @Test
    void findsAnInheritedMethodByItsOwnClassIfOnlyOneBeanHasIt() {
        bed.client(Left.class).enqueue(Base::inherited, "l");

        assertThat(stored()).containsExactly("Left.inherited [\"l\"]");
    }

    @Test
    void findsADefaultMethodOfAnInterfaceEitherWay() {
        RedisJobClient jobs = bed.client(Cleaner.class);
        jobs.enqueue(Cleaner::clean, "a");
        jobs.enqueue(Cleaning::clean, "b");

        assertThat(stored()).containsExactly("Cleaner.clean [\"a\"]", "Cleaner.clean [\"b\"]");
    }

    @Test
    void givesEachCallSiteItsOwnMethodAlsoWhenItIsUsedAgain() throws Exception {
        RedisJobClient jobs = bed.client(Plain.class, WithContext.class);
        List<Callable<String>> sites = List.of(() -> jobs.enqueue(Plain::none), () -> jobs.enqueue(WithContext::none));
        for (int i = 0; i < 3; i++) {
            for (Callable<String> site : sites) {
                site.call();
            }
        }

        assertThat(stored())
                .isEqualTo(IntStream.range(0, 6)
                        .mapToObj(i -> i % 2 == 0 ? "Plain.none []" : "WithContext.none []")
                        .toList());
    }

    @Test
    void refusesAReferenceThatMayMeanSeveralJobs() {
        RedisJobClient jobs = bed.client(Left.class, Right.class);

        assertRefused(() -> jobs.enqueue(Base::inherited, "x"), "Left.inherited", "Right.inherited", "enqueue by name");
    }

    @Test
    void findsTheOverloadThatAVariableNames() {
        JobMethod.P2<Overloads, String, Integer> send = Overloads::send;
        bed.client(Overloads.class).enqueue(send, "a", 2);

        assertThat(stored()).containsExactly("Send twice [\"a\",2]");
    }

    @Test
    void refusesArgumentsThatDoNotFitAVariable() {
        RedisJobClient jobs = bed.client(Plain.class);
        JobMethod.P1<Plain, String> one = Plain::one;

        assertRefused(() -> jobs.enqueue(one, 5), "do not fit");
        assertRefused(() -> jobs.enqueue(one, 1, 2, 3, 4, 5, 6, 7), "do not fit");
    }

    @Test
    void refusesALambda() {
        RedisJobClient jobs = bed.client(Plain.class);

        assertRefused(() -> jobs.enqueue((Plain plain) -> plain.none()), "lambda", "Emails::welcome");
    }

    @Test
    void refusesAMethodThatIsNoJob() {
        RedisJobClient jobs = bed.client(Renamed.class);

        assertRefused(() -> jobs.enqueue(Renamed::unmarked), "Renamed::unmarked", "@Job");
        assertRefused(() -> jobs.enqueue(Renamed::noInstance), "Renamed::noInstance", "@Job");
        assertRefused(() -> jobs.enqueue(Runnable::run), "Runnable::run", "@Job");
    }

    @Test
    void refusesAJobOfAClassThatIsNoBean() {
        RedisJobClient jobs = bed.client(Renamed.class);

        assertRefused(() -> jobs.enqueue(Plain::none), "Plain::none", "bean");
    }

    @Test
    void refusesAnImplementationThatIsNoReference() {
        RedisJobClient jobs = bed.client(Plain.class);
        JobMethod.P0<Plain> written = new JobMethod.P0<>() {
            private static final long serialVersionUID = 1L;

            @Override
            public void perform(Plain target) {}
        };

        assertRefused(() -> jobs.enqueue(written), "method reference", "Emails::welcome");
    }

    private static void assertRefused(Callable<String> call, String... words) {
        assertThatThrownBy(call::call).isInstanceOf(InvalidJobException.class).hasMessageContainingAll(words);
        assertThat(bed.redis.snapshot()).isEmpty();
    }

    private static List<String> stored() {
        return bed.queue("default").stream()
                .map(stored -> stored.replaceAll(".*\"class\":\"([^\"]+)\",\"args\":(\\[.*]),\"jid\".*", "$1 $2"))
                .toList();
    }
}
