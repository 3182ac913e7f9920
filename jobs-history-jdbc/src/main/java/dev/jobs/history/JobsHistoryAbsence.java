package dev.jobs.history;

import java.util.List;
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

/** Says that there is no history where the application has put the module on its class path. */
@AutoConfiguration(after = JobsHistoryAutoConfiguration.class)
@ConditionalOnBooleanProperty(name = "jobs.enabled", matchIfMissing = true)
@ConditionalOnBooleanProperty(name = "jobs.history.enabled", matchIfMissing = true)
@ConditionalOnMissingBean(JobHistory.class)
final class JobsHistoryAbsence {

    private static final Logger log = LoggerFactory.getLogger(JobsHistoryAbsence.class);

    @Bean
    static SmartInitializingSingleton jobsHistoryAbsenceNotice(ListableBeanFactory beans) {
        List<String> databases =
                List.of(BeanFactoryUtils.beanNamesForTypeIncludingAncestors(beans, DataSource.class, true, false));
        return () -> log.warn(
                "Batches and jobs are not recorded, although jobs-history-jdbc is on the class path: {}, or set "
                        + "jobs.history.enabled to false",
                databases.isEmpty()
                        ? "there is no DataSource. Define one"
                        : "of the DataSources " + databases + " none is primary. Mark one as @Primary");
    }
}
