package dev.jobs.spring.autoconfigure.database;

import dev.jobs.Internal;
import dev.jobs.spring.JobsDataSource;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import javax.sql.DataSource;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.config.DependencyDescriptor;
import org.springframework.boot.autoconfigure.condition.AnyNestedCondition;
import org.springframework.boot.autoconfigure.condition.ConditionMessage;
import org.springframework.boot.autoconfigure.condition.ConditionOutcome;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.boot.autoconfigure.condition.SpringBootCondition;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.ConfigurationCondition;
import org.springframework.core.type.AnnotatedTypeMetadata;
import org.springframework.util.ReflectionUtils;

/** Matches if there is a {@link DataSource} for the tables of jobs: a marked, a single or a primary one. */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Conditional(ConditionalOnJobsDatabase.Chosen.class)
@Internal
public @interface ConditionalOnJobsDatabase {

    /** The condition. */
    final class Chosen extends AnyNestedCondition {

        Chosen() {
            super(ConfigurationPhase.REGISTER_BEAN);
        }

        @Conditional(Marked.class)
        static final class OnMarked {}

        @ConditionalOnSingleCandidate(DataSource.class)
        static final class OnCandidate {}
    }

    /** That one has {@link JobsDataSource}, also if it is no candidate otherwise, as other conditions want it. */
    final class Marked extends SpringBootCondition implements ConfigurationCondition {

        @Override
        public ConfigurationPhase getConfigurationPhase() {
            return ConfigurationPhase.REGISTER_BEAN;
        }

        @Override
        public ConditionOutcome getMatchOutcome(ConditionContext context, AnnotatedTypeMetadata metadata) {
            DependencyDescriptor wanted = new DependencyDescriptor(
                    Objects.requireNonNull(ReflectionUtils.findField(JobsDatabase.class, "source")), true);
            ConditionMessage.Builder message = ConditionMessage.forCondition("@JobsDataSource");
            ConfigurableListableBeanFactory beans = context.getBeanFactory();
            List<String> marked = beans == null
                    ? List.of()
                    : Arrays.stream(BeanFactoryUtils.beanNamesForTypeIncludingAncestors(
                                    beans, DataSource.class, true, false))
                            .filter(name -> beans.isAutowireCandidate(name, wanted))
                            .toList();
            return marked.isEmpty()
                    ? ConditionOutcome.noMatch(message.because("no DataSource has it"))
                    : ConditionOutcome.match(message.found("bean", "beans").items(marked));
        }
    }
}
