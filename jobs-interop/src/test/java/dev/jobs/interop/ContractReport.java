package dev.jobs.interop;

import dev.jobs.interop.Contract.Section;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.TestTag;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.TestPlan;

/** Prints which sections of the contract a run beside Ruby has verified. JUnit finds it as a service. */
public final class ContractReport implements TestExecutionListener {

    /** The number of passed tests by section number; several classes run at once. */
    private final Map<String, Integer> passed = new ConcurrentHashMap<>();

    @Override
    public void executionFinished(TestIdentifier test, TestExecutionResult result) {
        if (!test.isTest() || result.getStatus() != TestExecutionResult.Status.SUCCESSFUL) {
            return;
        }
        test.getTags().stream()
                .map(TestTag::getName)
                .filter(tag -> tag.startsWith(Contract.TAG_PREFIX))
                .forEach(tag -> passed.merge(tag.substring(Contract.TAG_PREFIX.length()), 1, Integer::sum));
    }

    @Override
    public void testPlanExecutionFinished(TestPlan plan) {
        Ruby.Search search = Ruby.search();
        if (passed.isEmpty() || search.ruby().isEmpty()) {
            return; // a run without Ruby, already reported
        }
        try {
            System.out.println(report(search.ruby().get()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private String report(Ruby ruby) throws IOException {
        Map<String, Integer> tests = Contract.tests();
        StringBuilder report = new StringBuilder()
                .append(String.format("Sections of the contract: passed beside Sidekiq %s; ", ruby.version()))
                .append("methods that test it, in all modules; whether it is held\n");
        for (Section section : Contract.sections()) {
            String number = section.number();
            report.append(String.format(
                    "%6s  %4d  %4d  %-9s  %s%n",
                    number,
                    passed.getOrDefault(number, 0),
                    tests.getOrDefault(number, 0),
                    section.held(),
                    section.subject()));
        }
        if (!ruby.isAtLeast(8)) {
            report.append("Left out: what only Sidekiq 8 and sidekiq-cron 2 have; -D")
                    .append(Ruby.PROPERTY)
                    .append(" names a Ruby with them\n");
        }
        return report.toString();
    }
}
