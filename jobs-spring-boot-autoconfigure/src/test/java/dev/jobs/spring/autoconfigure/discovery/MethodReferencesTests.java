package dev.jobs.spring.autoconfigure.discovery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import dev.jobs.Job;
import dev.jobs.JobCall;
import dev.jobs.JobContext;
import dev.jobs.JobMethod;
import java.util.Map;
import java.util.SortedSet;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

@ExtendWith(OutputCaptureExtension.class)
class MethodReferencesTests {

    private static final String HERE = MethodReferencesTests.class.getName() + "$";

    @Test
    void eachClassIsListedWithTheInterfacesOfItsReferences(CapturedOutput output) {
        Map<String, SortedSet<String>> found = new MethodReferences(getClass().getClassLoader())
                .in("dev/jobs/spring/autoconfigure/discovery/MethodReferencesTests*.class").stream()
                        .collect(Collectors.toMap(MethodReferences.Found::type, each -> each.interfaces()));

        assertThat(found.keySet()).allMatch(each -> each.startsWith(HERE));
        assertThat(found.entrySet().stream()
                        .map(each -> entry(each.getKey().substring(HERE.length()), String.join(" ", each.getValue()))))
                .containsExactlyInAnyOrder(
                        entry("InMethods", "dev.jobs.JobMethod$C1 dev.jobs.JobMethod$P0"),
                        entry("InALambda", "dev.jobs.JobMethod$P0"),
                        entry("InAnAnonymousClass$1", "dev.jobs.JobMethod$P0"));
        assertThat(output)
                .contains(HERE + "InAConstructor refers to a job method in a constructor")
                .contains(HERE + "InAnInitializer refers to a job method in a static initializer");
    }

    static class Shop {

        @Job
        void open() {}

        @Job
        void close(String why, JobContext job) {}
    }

    static class InMethods {

        Stream<JobCall> all() {
            return Stream.of(JobCall.of(Shop::open), JobCall.of(Shop::open), JobCall.of(Shop::close, "late"));
        }

        Consumer<String> otherThan(JobMethod.P1<?, ?> method) {
            return System.out::println;
        }
    }

    static class InALambda {

        final Runnable open = () -> JobCall.of(Shop::open);
    }

    static class InAnAnonymousClass {

        final Runnable open = new Runnable() {
            @Override
            public void run() {
                JobCall.of(Shop::open);
            }
        };
    }

    static class InAConstructor {

        final JobCall open = JobCall.of(Shop::open);
    }

    static class InAnInitializer {

        static final JobCall OPEN = JobCall.of(Shop::open);
    }

    static class Parameters {

        void use(JobMethod.P0<Shop> method) {}
    }
}
