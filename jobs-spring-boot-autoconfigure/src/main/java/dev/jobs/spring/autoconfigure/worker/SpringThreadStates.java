package dev.jobs.spring.autoconfigure.worker;

import dev.jobs.Internal;
import dev.jobs.threads.ThreadState;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.i18n.LocaleContext;
import org.springframework.context.i18n.LocaleContextHolder;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.context.SecurityContext;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** What Spring keeps on threads, which no job may hand to the next one: language, user and transaction. */
@Configuration(proxyBeanMethods = false)
@Internal
public final class SpringThreadStates {

    private static final Logger log = LoggerFactory.getLogger(SpringThreadStates.class);

    @Bean
    ThreadState jobsLocaleState() {
        return new ThreadState() {
            @Override
            public Runnable remember() {
                LocaleContext before = LocaleContextHolder.getLocaleContext();
                return () -> {
                    if (LocaleContextHolder.getLocaleContext() != before) {
                        LocaleContextHolder.setLocaleContext(before);
                    }
                };
            }

            @Override
            public void clear() {
                LocaleContextHolder.resetLocaleContext();
            }
        };
    }

    /** A transaction of the caller of an inline run is not taken away: the job takes part in it. */
    @Bean
    ThreadState jobsTransactionState() {
        return () -> {
            if (hasTransaction()) {
                return () -> {};
            }
            Map<Object, Object> before = Map.copyOf(TransactionSynchronizationManager.getResourceMap());
            return () -> {
                if (hasTransaction()
                        || !TransactionSynchronizationManager.getResourceMap().equals(before)) {
                    TransactionSynchronizationManager.clear();
                    unbind(before);
                    log.error(
                            "The job that ended on this thread left a transaction or a resource of one behind, neither committed nor rolled "
                                    + "back, and its connection is lost to its pool. The next job doesn't find it; correct that job");
                }
            };
        };
    }

    private static boolean hasTransaction() {
        return TransactionSynchronizationManager.isSynchronizationActive()
                || TransactionSynchronizationManager.isActualTransactionActive()
                || TransactionSynchronizationManager.getCurrentTransactionName() != null
                || TransactionSynchronizationManager.isCurrentTransactionReadOnly()
                || TransactionSynchronizationManager.getCurrentTransactionIsolationLevel() != null;
    }

    /** Those of before stay, such as a session that a web request keeps open around an inline run. */
    private static void unbind(Map<Object, Object> before) {
        for (Object key :
                List.copyOf(TransactionSynchronizationManager.getResourceMap().keySet())) {
            if (!before.containsKey(key)) {
                TransactionSynchronizationManager.unbindResourceIfPossible(key);
            }
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(SecurityContextHolder.class)
    static final class OfUsers {

        @Bean
        ThreadState jobsUserState() {
            return new ThreadState() {
                @Override
                public Runnable remember() {
                    if (isOfProcess()) {
                        return () -> {};
                    }
                    SecurityContext before = SecurityContextHolder.getContext();
                    Authentication user = before.getAuthentication();
                    if (user == null) {
                        SecurityContextHolder.clearContext(); // which getContext has made
                        return OfUsers::nobody;
                    }
                    return () -> {
                        SecurityContextHolder.setContext(before);
                        if (!Objects.equals(before.getAuthentication(), user)) {
                            before.setAuthentication(user);
                        }
                    };
                }

                @Override
                public void clear() {
                    if (!isOfProcess()) {
                        nobody();
                    }
                }
            };
        }

        /** Whether one user is set for all threads, which then is no thread's own. */
        private static boolean isOfProcess() {
            return SecurityContextHolder.getContextHolderStrategy()
                    .getClass()
                    .getSimpleName()
                    .startsWith("Global");
        }

        private static void nobody() {
            SecurityContextHolder.clearContext();
        }
    }
}
