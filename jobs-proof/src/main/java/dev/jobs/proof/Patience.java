package dev.jobs.proof;

import java.time.Duration;
import org.awaitility.Awaitility;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestPlan;

/**
 * Gives every wait of a test a minute that sets no time itself. The ten seconds of Awaitility are too few for a busy
 * machine.
 */
public final class Patience implements TestExecutionListener {

    private static final Duration PATIENCE = Duration.ofMinutes(1);

    /** Called by JUnit. */
    public Patience() {}

    @Override
    public void testPlanExecutionStarted(TestPlan begun) {
        Awaitility.setDefaultTimeout(PATIENCE);
    }
}
