package dev.jobs.spring.autoconfigure;

import dev.jobs.JobDefinitionException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Shows what is wrong with a job or the configuration, and what to do about it, instead of a stack trace. */
final class JobDefinitionFailureAnalyzer extends AbstractFailureAnalyzer<JobDefinitionException> {

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, JobDefinitionException cause) {
        return new FailureAnalysis(cause.getMessage() + ".", cause.action(), cause);
    }
}
