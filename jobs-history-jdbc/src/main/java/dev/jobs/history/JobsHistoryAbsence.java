package dev.jobs.history;

import dev.jobs.spring.autoconfigure.database.JobsDatabase;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
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
        return () -> {
            JobsDatabase.Absence absence = JobsDatabase.absence(beans);
            log.warn(
                    "Batches and jobs are not recorded, although dev.jobs:jobs-history-jdbc is on the class path: {}. {}, "
                            + "or set jobs.history.enabled to false",
                    absence.reason(),
                    absence.remedy());
        };
    }
}
