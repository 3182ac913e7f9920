package dev.jobs.spring.autoconfigure.discovery;

import dev.jobs.JobDefinitionException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Replaces the stack trace by a description of the mistake in a job or the configuration, and its remedy. */
final class JobDefinitionFailureAnalyzer extends AbstractFailureAnalyzer<JobDefinitionException> {

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, JobDefinitionException cause) {
        return new FailureAnalysis(cause.getMessage() + ".", cause.action(), cause);
    }
}
