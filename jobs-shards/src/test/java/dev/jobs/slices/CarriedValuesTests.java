package dev.jobs.slices;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.Job;
import dev.jobs.JobClient;
import dev.jobs.slices.CarriedValuesTests.Reports;
import dev.jobs.test.JobsTest;
import dev.jobs.test.TestJobs;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Test;
import org.slf4j.MDC;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.annotation.Import;

/** What jobs take along goes with those of a test of jobs alone. */
@JobsTest(properties = {"jobs.context.accessors=tenant", "jobs.context.mdc-keys=user"})
@Import(Reports.class)
class CarriedValuesTests {

    static class Reports {

        final ConcurrentLinkedQueue<String> written = new ConcurrentLinkedQueue<>();
        private final TenantAccessor tenants;

        Reports(TenantAccessor tenants) {
            this.tenants = tenants;
        }

        @Job
        void write() {
            written.add(tenants.getValue() + " " + MDC.get("user"));
        }
    }

    @Test
    void aJobRunsForTheTenantThatEnqueuedIt(
            @Autowired JobClient client,
            @Autowired TestJobs jobs,
            @Autowired TenantAccessor tenants,
            @Autowired Reports reports) {
        tenants.setValue("acme");
        MDC.put("user", "bob");
        try {
            client.enqueue(Reports::write);
        } finally {
            MDC.remove("user");
            tenants.setValue();
        }

        jobs.drain();

        assertThat(reports.written).containsExactly("acme bob");
    }
}
