package dev.jobs.test;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.Job;
import dev.jobs.JobMiddleware;
import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.springframework.core.type.classreading.MetadataReaderFactory;
import org.springframework.core.type.classreading.SimpleMetadataReaderFactory;
import org.springframework.stereotype.Component;

class JobsTypeExcludeFilterTests {

    private final MetadataReaderFactory types = new SimpleMetadataReaderFactory();

    abstract static class Mail {

        @Job
        void send() {}
    }

    abstract static class GermanMail extends Mail {}

    @Component
    static class Welcome extends GermanMail {}

    interface Report {

        @Job
        default void print() {}
    }

    interface Export extends Report {}

    @Component
    abstract static class Sales implements Export, JobMiddleware {}

    @Component
    static class Cart implements Comparable<Cart> {

        @Override
        public int compareTo(Cart other) {
            return 0;
        }
    }

    @JobsTest
    static class All {}

    @JobsTest(jobs = Welcome.class)
    static class One {}

    private boolean has(Class<?> test, Class<?> component) throws IOException {
        return !new JobsTypeExcludeFilter(test).match(types.getMetadataReader(component.getName()), types);
    }

    @Test
    void componentsThatInheritTheirJobsAreIncluded() throws IOException {
        assertThat(has(All.class, Welcome.class)).isTrue();
        assertThat(has(All.class, Sales.class)).isTrue();
        assertThat(has(All.class, Cart.class)).isFalse();
    }

    @Test
    void thoseThatAreNotListedStayOut() throws IOException {
        assertThat(has(One.class, Welcome.class)).isTrue();
        assertThat(has(One.class, Sales.class)).isFalse();
    }
}
