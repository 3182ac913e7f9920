package dev.jobs.spring.autoconfigure.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.jobs.Job;
import dev.jobs.JobClient;
import dev.jobs.embeddedredis.EmbeddedRedis;
import dev.jobs.engine.EngineEnvironment;
import dev.jobs.spring.autoconfigure.JobsContext;
import dev.jobs.spring.web.RequestStateAutoConfiguration;
import dev.jobs.threads.ThreadState;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.i18n.LocaleContextHolder;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.security.authentication.TestingAuthenticationToken;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.ServletRequestAttributes;

/** What Spring keeps on a thread for one job is not there for the next. */
@ExtendWith(OutputCaptureExtension.class)
class SpringThreadStatesIT {

    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Object KEY = new Object();

    @AfterEach
    void leaveNothingToOtherTests() {
        LocaleContextHolder.resetLocaleContext();
        RequestContextHolder.resetRequestAttributes();
        SecurityContextHolder.setStrategyName(SecurityContextHolder.MODE_THREADLOCAL);
        SecurityContextHolder.clearContext();
        if (TransactionSynchronizationManager.isSynchronizationActive()) {
            TransactionSynchronizationManager.clear();
        }
        TransactionSynchronizationManager.unbindResourceIfPossible(KEY);
    }

    static final class Jobs {

        final List<List<Object>> seen = new CopyOnWriteArrayList<>();

        @Job("look")
        void looks() {
            seen.add(look());
        }

        @Job("leave")
        void leaves() {
            leave("kim");
        }
    }

    private static List<Object> look() {
        List<Object> found = new ArrayList<>();
        found.add(LocaleContextHolder.getLocaleContext());
        found.add(RequestContextHolder.getRequestAttributes());
        found.add(SecurityContextHolder.getContext().getAuthentication());
        found.add(TransactionSynchronizationManager.isSynchronizationActive());
        found.add(TransactionSynchronizationManager.isActualTransactionActive());
        found.add(TransactionSynchronizationManager.getCurrentTransactionName());
        found.add(TransactionSynchronizationManager.isCurrentTransactionReadOnly());
        found.add(TransactionSynchronizationManager.getResourceMap().size());
        return found;
    }

    private static void leave(String user) {
        LocaleContextHolder.setLocale(Locale.GERMANY);
        RequestContextHolder.setRequestAttributes(new ServletRequestAttributes(new MockHttpServletRequest()));
        SecurityContextHolder.getContext().setAuthentication(new TestingAuthenticationToken(user, "secret"));
        TransactionSynchronizationManager.initSynchronization();
        TransactionSynchronizationManager.setActualTransactionActive(true);
        TransactionSynchronizationManager.setCurrentTransactionName("of " + user);
        TransactionSynchronizationManager.setCurrentTransactionReadOnly(true);
        TransactionSynchronizationManager.bindResource(KEY, "a connection");
    }

    @Test
    void theNextJobFindsNeitherLanguageNorRequestNorUserNorTransaction(CapturedOutput output) {
        Jobs jobs = new Jobs();
        try (EmbeddedRedis redis = EmbeddedRedis.start()) {
            JobsContext.on(redis)
                    .withConfiguration(AutoConfigurations.of(RequestStateAutoConfiguration.class))
                    .withPropertyValues("jobs.concurrency=1")
                    .withBean(Jobs.class, () -> jobs)
                    .run(context -> {
                        JobClient client = context.getBean(JobClient.class);
                        List.of("look", "leave", "look").forEach(client::enqueue);
                        await().atMost(PATIENCE).until(() -> jobs.seen.size() == 2);
                    });
        }
        assertThat(jobs.seen.get(1)).isEqualTo(jobs.seen.get(0));
        assertThat(output).contains("neither committed nor rolled back");
    }

    private static List<ThreadState> states(String... absent) {
        List<ThreadState> states = new ArrayList<>();
        JobsContext.withoutStart()
                .withConfiguration(AutoConfigurations.of(RequestStateAutoConfiguration.class))
                .withClassLoader(new FilteredClassLoader(absent))
                .run(context ->
                        states.addAll(context.getBean(EngineEnvironment.class).threadStates()));
        return states;
    }

    @Test
    void theCallerOfAnInlineRunKeepsItsUserAndItsLanguage() {
        LocaleContextHolder.setLocale(Locale.FRANCE);
        SecurityContextHolder.getContext().setAuthentication(new TestingAuthenticationToken("ann", "secret"));
        List<Object> before = look();
        List<Runnable> restoring = states().stream().map(ThreadState::remember).toList();

        leave("kim");
        restoring.forEach(Runnable::run);

        assertThat(look()).isEqualTo(before);
    }

    @Test
    void anInlineRunFindsNothingOfItsCallerButTheTransaction() {
        leave("ann");

        states().forEach(ThreadState::clear);

        assertThat(look()).containsExactly(null, null, null, true, true, "of ann", true, 1);
    }

    @Test
    void aTransactionOfTheCallerStaysWhole() {
        TransactionSynchronizationManager.initSynchronization();
        TransactionSynchronizationManager.setActualTransactionActive(true);
        List<Runnable> restoring = states().stream().map(ThreadState::remember).toList();

        TransactionSynchronizationManager.bindResource(KEY, "a session that joins it");
        restoring.forEach(Runnable::run);

        assertThat(TransactionSynchronizationManager.isActualTransactionActive())
                .isTrue();
        assertThat(TransactionSynchronizationManager.hasResource(KEY)).isTrue();
    }

    @Test
    void aUserOfTheWholeProcessStays() {
        SecurityContextHolder.setStrategyName(SecurityContextHolder.MODE_GLOBAL);
        List<Runnable> restoring = states().stream().map(ThreadState::remember).toList();

        SecurityContextHolder.getContext().setAuthentication(new TestingAuthenticationToken("desktop", "secret"));
        restoring.forEach(Runnable::run);

        assertThat(SecurityContextHolder.getContext().getAuthentication().getName())
                .isEqualTo("desktop");
    }

    @Test
    void whatIsNotOnTheClassPathIsNotLookedAfter() {
        assertThat(states("org.springframework.security.core", "org.springframework.web"))
                .hasSize(states().size() - 2);
    }
}
