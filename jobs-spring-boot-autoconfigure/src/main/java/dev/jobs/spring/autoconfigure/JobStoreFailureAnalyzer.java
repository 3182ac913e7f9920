package dev.jobs.spring.autoconfigure;

import dev.jobs.JobStoreException;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Explains a start that failed because the application used jobs while Redis could not be used. */
final class JobStoreFailureAnalyzer extends AbstractFailureAnalyzer<JobStoreException> {

    @Override
    protected @Nullable FailureAnalysis analyze(Throwable rootFailure, JobStoreException cause) {
        return switch (cause.kind()) {
            case UNREACHABLE, TIMEOUT, DENIED ->
                new FailureAnalysis(
                        cause.getMessage() + ".",
                        "Correct what the description names. An application that is to start without Redis has to catch "
                                + "JobStoreException where it uses jobs during the start; its worker waits for Redis anyway.",
                        cause);
            default -> null;
        };
    }
}
