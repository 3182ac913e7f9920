package dev.jobs.spring.autoconfigure.database;

import dev.jobs.Internal;
import dev.jobs.JobDefinitionException;
import dev.jobs.spring.JobsDataSource;
import java.util.Collection;
import java.util.List;
import javax.sql.DataSource;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.NoUniqueBeanDefinitionException;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;

/** The database of the application that has the tables of the outbox and the history. */
@Internal
public record JobsDatabase(@JobsDataSource DataSource source) {

    /** Imported by what has tables, under {@link ConditionalOnJobsDatabase}. */
    @Configuration(proxyBeanMethods = false)
    @Internal
    public static class Choice {

        /** @throws JobDefinitionException if several beans are marked */
        @Bean
        @Lazy
        JobsDatabase jobsDatabase(
                @JobsDataSource ObjectProvider<DataSource> marked, ObjectProvider<DataSource> candidates) {
            try {
                return new JobsDatabase(marked.getIfAvailable(candidates::getObject));
            } catch (NoUniqueBeanDefinitionException e) {
                Collection<String> names = e.getBeanNamesFound();
                throw new JobDefinitionException(
                        "Several DataSources have @JobsDataSource: " + (names == null ? "" : names),
                        "Leave it on the one that has the tables of jobs.");
            }
        }
    }

    /** Why there is none, and what to do about it. */
    public static String absence(ListableBeanFactory beans) {
        List<String> names =
                List.of(BeanFactoryUtils.beanNamesForTypeIncludingAncestors(beans, DataSource.class, true, false));
        return names.isEmpty()
                ? "there is no DataSource. Define one"
                : "of the DataSources " + names + " none is primary. Mark one with @JobsDataSource or @Primary";
    }
}
