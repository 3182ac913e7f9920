package dev.jobs.spring.autoconfigure.retries;

import dev.jobs.JobDefinition;
import dev.jobs.JobDefinitionException;
import dev.jobs.JobHooks;
import dev.jobs.JobRegistry;
import dev.jobs.RetryPolicy;
import dev.jobs.retries.DeclaredRetry;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.ListableBeanFactory;

/** The beans that decide about jobs whose annotations name them. Thread-safe. */
final class PoliciesByName {

    private final ListableBeanFactory beans;
    private final Map<DeclaredRetry, RetryPolicy> found = new ConcurrentHashMap<>();

    PoliciesByName(ListableBeanFactory beans) {
        this.beans = beans;
    }

    /**
     * The bean that an annotation names.
     *
     * @throws JobDefinitionException if there is none, or more than one
     */
    RetryPolicy find(DeclaredRetry retry) {
        RetryPolicy known = found.get(retry);
        if (known == null) {
            // The map would hold a lock meanwhile; see LateValue.
            known = beans.getBean(only(retry), RetryPolicy.class);
            found.put(retry, known);
        }
        return known;
    }

    private String only(DeclaredRetry retry) {
        Class<? extends RetryPolicy> type = retry.policy();
        List<String> names = names(type == null ? RetryPolicy.class : type).stream()
                .filter(each -> type != null || each.equals(retry.policyName()))
                .toList();
        if (names.size() == 1) {
            return names.get(0);
        }
        String what = type == null ? "the name '" + retry.policyName() + "'" : "the type " + type.getName();
        throw names.isEmpty()
                ? new JobDefinitionException(
                        "its @Retry names a policy by " + what + ", and no bean has it",
                        "Declare it with @Bean(defaultCandidate = false), or name one of " + known() + ".")
                : new JobDefinitionException(
                        "its @Retry names a policy by " + what + ", which the beans " + String.join(", ", names)
                                + " have",
                        "Name one of them with policyName.");
    }

    private List<String> names(Class<? extends RetryPolicy> type) {
        return Arrays.asList(BeanFactoryUtils.beanNamesForTypeIncludingAncestors(beans, type));
    }

    /** Those of the application. */
    private String known() {
        String names = String.join(", ", names(RetryPolicy.class));
        return names.isEmpty() ? "the RetryPolicy beans, of which there is none yet" : names;
    }

    /**
     * Compares what annotations name with the beans that there are.
     *
     * @param hooks know which policies decide about all jobs
     * @throws JobDefinitionException if one is missing, or if one of them decides about all jobs
     */
    void check(JobRegistry registry, JobHooks hooks) {
        for (JobDefinition job : registry.definitions()) {
            DeclaredRetry retry = job.rule(DeclaredRetry.class);
            if (retry != null && retry.namesPolicy()) {
                try {
                    checkAlone(find(retry), hooks);
                } catch (JobDefinitionException e) {
                    throw new JobDefinitionException(
                            "The @Job method " + job.qualifiedMethodName() + " can't be used: " + e.getMessage(),
                            e.action());
                }
            }
        }
    }

    private static void checkAlone(RetryPolicy policy, JobHooks hooks) {
        if (hooks.all(RetryPolicy.class).stream().anyMatch(each -> each == policy)) {
            throw new JobDefinitionException(
                    "the policy that its @Retry names, " + policy.getClass().getName()
                            + ", decides about all other jobs, too",
                    "Declare it with @Bean(defaultCandidate = false), so that it decides only about jobs that name it; or"
                            + " leave it out of @Retry.");
        }
    }
}
