package dev.jobs.spring.autoconfigure.discovery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jobs.Job;
import dev.jobs.JobClient;
import dev.jobs.JobDefinition;
import dev.jobs.JobDefinitionException;
import dev.jobs.JobRegistry;
import dev.jobs.spring.autoconfigure.JobsContext;
import dev.jobs.spring.autoconfigure.worker.JobEngineLifecycle;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;

/** Jobs in one context and the library in another. */
class ParentContextTests {

    private final ApplicationContextRunner library = JobsContext.withoutStart();

    static final class Mails {

        final List<String> sent = new ArrayList<>();

        @Job("mail")
        void send(String to) {
            sent.add(to);
        }
    }

    static final class Reports {

        @Job("report")
        void write() {}

        @Job("summary")
        void summarize() {}
    }

    private static AnnotationConfigApplicationContext plain(Class<?> bean) {
        AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();
        context.registerBean("work", bean);
        return context;
    }

    private static void send(JobRegistry registry) {
        JobDefinition mail = registry.find("mail").orElseThrow();
        assertThatCode(() -> mail.invoke(new Object[] {"bob"}, null)).doesNotThrowAnyException();
    }

    @Test
    void theLibraryFindsTheJobsOfParents() {
        try (AnnotationConfigApplicationContext top = plain(Mails.class);
                AnnotationConfigApplicationContext middle = plain(Reports.class)) {
            top.refresh();
            middle.setParent(top);
            middle.refresh();

            library.withParent(middle)
                    .withBean("work", Object.class, Object::new)
                    .run(context -> {
                        JobRegistry registry = context.getBean(JobRegistry.class);
                        assertThat(registry.definitions())
                                .extracting(each -> each.name())
                                .containsExactlyInAnyOrder("mail", "report", "summary");
                        send(registry);
                        assertThat(top.getBean(Mails.class).sent).containsExactly("bob");
                    });
        }
    }

    @Test
    void theNearestBeanOfAClassRunsItsJobs() {
        try (AnnotationConfigApplicationContext parent = plain(Mails.class)) {
            parent.refresh();

            library.withParent(parent).withBean("mails", Mails.class).run(context -> {
                assertThat(context).hasNotFailed();
                send(context.getBean(JobRegistry.class));
                assertThat(context.getBean("mails", Mails.class).sent).containsExactly("bob");
                assertThat(parent.getBean(Mails.class).sent).isEmpty();
            });
        }
    }

    @Test
    void aChildWhoseJobsNobodyWouldFindDoesNotStart() {
        library.run(parent -> {
            try (AnnotationConfigApplicationContext child = plain(Reports.class)) {
                child.setParent(parent);

                assertThatThrownBy(child::refresh)
                        .isInstanceOf(JobDefinitionException.class)
                        .hasMessageContaining("'work'")
                        .hasMessageContaining(Reports.class.getName())
                        .hasMessageContaining("in a child of the context that has the jobs")
                        .hasMessageContaining("never run");
            }
        });
    }

    @Test
    void theSameWithTheLibraryInBoth() {
        library.run(parent -> library.withParent(parent).withBean(Reports.class).run(child -> assertThat(child)
                .getFailure()
                .isInstanceOf(JobDefinitionException.class)
                .hasMessageContaining("never run")));
    }

    @Test
    void aChildMayHaveABeanOfAClassWhoseJobsItsParentRuns() {
        library.withBean(Mails.class).run(parent -> {
            try (AnnotationConfigApplicationContext child = plain(Mails.class)) {
                child.setParent(parent);
                child.refresh();
                assertThat(child.getBean(JobClient.class)).isSameAs(parent.getBean(JobClient.class));
            }
        });
    }

    @Test
    void oneEngineRunsForBoth() {
        library.withBean(Mails.class).run(parent -> library.withParent(parent).run(child -> {
            assertThat(child).hasNotFailed();
            assertThat(child.getBeanFactory().getBeanNamesForType(JobEngineLifecycle.class))
                    .isEmpty();
            assertThat(child.getBean(JobClient.class)).isSameAs(parent.getBean(JobClient.class));
        }));
    }
}
