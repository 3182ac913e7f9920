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
import org.springframework.util.ClassUtils;

/** The database of the application that has the tables of the outbox and the history. */
@Internal
public record JobsDatabase(@JobsDataSource DataSource source) {

    private static final String R2DBC = "io.r2dbc.spi.ConnectionFactory";

    /** Imported by what has tables, under {@link ConditionalOnJobsDatabase}. */
    @Configuration(proxyBeanMethods = false)
    @Internal
    public static class Choice {

        /** Static, since it is made before other beans. */
        @Bean
        static CurrentTransaction jobsCurrentTransaction() {
            return new CurrentTransaction();
        }

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

    /**
     * Why there is none, and what to do about it; neither ends with a full stop.
     *
     * @param remedy a sentence that may go on with another way
     */
    @Internal
    public record Absence(String reason, String remedy) {}

    /** For an application in which {@link ConditionalOnJobsDatabase} doesn't match. */
    public static Absence absence(ListableBeanFactory beans) {
        List<String> names = names(beans, DataSource.class);
        if (!names.isEmpty()) {
            return new Absence(
                    "of the DataSources " + names + " none is primary", "Mark one with @JobsDataSource or @Primary");
        }
        ClassLoader loader = JobsDatabase.class.getClassLoader();
        List<String> reactive = ClassUtils.isPresent(R2DBC, loader)
                ? names(beans, ClassUtils.resolveClassName(R2DBC, loader))
                : List.of();
        return reactive.isEmpty()
                ? new Absence("there is no DataSource", "Define one")
                : new Absence(
                        "there is no DataSource, only R2DBC (" + reactive
                                + "), and tables of jobs are reached through JDBC",
                        "Define a DataSource");
    }

    private static List<String> names(ListableBeanFactory beans, Class<?> type) {
        return List.of(BeanFactoryUtils.beanNamesForTypeIncludingAncestors(beans, type, true, false));
    }
}
