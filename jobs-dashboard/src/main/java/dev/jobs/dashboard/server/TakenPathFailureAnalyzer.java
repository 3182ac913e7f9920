package dev.jobs.dashboard.server;

import java.util.stream.Collectors;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Shows the mappings of the application that are in the way of the dashboard, and how it moves. */
final class TakenPathFailureAnalyzer extends AbstractFailureAnalyzer<TakenPathException> {

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, TakenPathException cause) {
        return new FailureAnalysis(
                "The dashboard of Jobs is at %s, and would answer requests that this application maps itself:%n%n%s"
                        .formatted(
                                cause.path(),
                                cause.mappings().stream()
                                        .map(each -> "    " + each)
                                        .collect(Collectors.joining("%n".formatted()))),
                "Move the dashboard to a path that is free, as in jobs.dashboard.path=/admin/background-jobs, or leave it "
                        + "out with jobs.dashboard.enabled=false.",
                cause);
    }
}
