package dev.jobs.proof;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.TestTag;
import org.junit.platform.engine.support.descriptor.ClassSource;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.TestPlan;

/**
 * Records each test of a JVM, with its kind and its result, in a file of the folder that the system property {@code
 * jobs.proof.tally} names. Records nothing without the property. {@link Report} reads the files.
 */
public final class Tally implements TestExecutionListener {

    private final @Nullable String folder;
    private final Queue<Line> lines = new ConcurrentLinkedQueue<>();
    private final Map<String, Long> started = new ConcurrentHashMap<>();
    private @Nullable TestPlan plan;

    /** Called by JUnit. */
    public Tally() {
        this(System.getProperty("jobs.proof.tally"));
    }

    /** @param folder null or empty, as an unset property of the build is, for none */
    Tally(@Nullable String folder) {
        this.folder = folder == null || folder.isEmpty() ? null : folder;
    }

    @Override
    public void testPlanExecutionStarted(TestPlan begun) {
        plan = begun;
    }

    @Override
    public void executionStarted(TestIdentifier test) {
        started.put(test.getUniqueId(), System.nanoTime());
    }

    @Override
    public void executionSkipped(TestIdentifier test, String reason) {
        testsOf(test).forEach(each -> add(each, Line.Result.SKIPPED, reason));
    }

    @Override
    public void executionFinished(TestIdentifier test, TestExecutionResult result) {
        String reason = result.getThrowable().map(Throwable::getMessage).orElse("");
        switch (result.getStatus()) {
            case SUCCESSFUL -> {
                if (test.isTest()) {
                    add(test, Line.Result.PASSED, "");
                }
            }
            // a class that failed while it was set up counts as one
            case FAILED -> add(test, Line.Result.FAILED, "");
            // JUnit says nothing of the tests in a class that was aborted while it was set up
            case ABORTED -> testsOf(test).forEach(each -> add(each, Line.Result.SKIPPED, reason));
        }
    }

    @Override
    public void testPlanExecutionFinished(TestPlan ended) {
        if (folder == null || lines.isEmpty()) {
            return;
        }
        try {
            Files.createDirectories(Path.of(folder));
            Path file = Files.createTempFile(Path.of(folder), "tests-", ".tsv");
            Files.write(file, lines.stream().map(Line::toString).toList());
            lines.clear();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private Stream<TestIdentifier> testsOf(TestIdentifier test) {
        return Stream.concat(Stream.of(test), Objects.requireNonNull(plan).getDescendants(test).stream())
                .filter(TestIdentifier::isTest);
    }

    private void add(TestIdentifier test, Line.Result result, String reason) {
        Long start = started.get(test.getUniqueId());
        long took = start == null ? 0 : TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start);
        lines.add(new Line(Kind.of(tags(test), className(test)), result, took, reason));
    }

    /** Those of its class, too: a dynamic test has none of its own. */
    private List<String> tags(TestIdentifier test) {
        List<String> tags = new ArrayList<>();
        for (TestIdentifier each = test; each != null; each = parent(each)) {
            each.getTags().stream().map(TestTag::getName).forEach(tags::add);
        }
        return tags;
    }

    private String className(TestIdentifier test) {
        for (TestIdentifier each = test; each != null; each = parent(each)) {
            if (each.getSource().orElse(null) instanceof MethodSource method) {
                return method.getClassName();
            }
            if (each.getSource().orElse(null) instanceof ClassSource type) {
                return type.getClassName();
            }
        }
        return "";
    }

    private @Nullable TestIdentifier parent(TestIdentifier test) {
        return Objects.requireNonNull(plan).getParent(test).orElse(null);
    }
}
