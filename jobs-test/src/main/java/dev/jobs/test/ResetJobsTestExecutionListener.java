package dev.jobs.test;

import org.springframework.test.context.TestContext;
import org.springframework.test.context.support.AbstractTestExecutionListener;

/** Lets each test method begin without the jobs of those before it. */
final class ResetJobsTestExecutionListener extends AbstractTestExecutionListener {

    @Override
    public void beforeTestMethod(TestContext test) {
        if (test.hasApplicationContext()) {
            test.getApplicationContext().getBeanProvider(TestJobs.class).ifAvailable(TestJobs::reset);
        }
    }
}
