package dev.jobs.proof;

import java.time.Duration;
import org.awaitility.Awaitility;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestPlan;

/**
 * Gives every wait of a test that sets no time itself a minute, or the seconds of the configuration parameter
 * {@code jobs.patience.seconds}. The ten seconds of Awaitility are too few for a busy machine.
 */
public final class Patience implements TestExecutionListener {

    private static final String SECONDS = "jobs.patience.seconds";

    private static final Duration DEFAULT = Duration.ofMinutes(1);

    /** Called by JUnit. */
    public Patience() {}

    @Override
    public void testPlanExecutionStarted(TestPlan begun) {
        Awaitility.setDefaultTimeout(begun.getConfigurationParameters()
                .get(SECONDS, seconds -> Duration.ofSeconds(Long.parseLong(seconds)))
                .orElse(DEFAULT));
    }
}
