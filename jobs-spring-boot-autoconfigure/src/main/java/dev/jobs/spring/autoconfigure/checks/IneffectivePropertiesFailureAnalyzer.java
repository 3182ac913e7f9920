package dev.jobs.spring.autoconfigure.checks;

import dev.jobs.spring.autoconfigure.checks.IneffectivePropertiesException.Ineffective;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Shows all properties that have no effect, with the source that sets each. */
final class IneffectivePropertiesFailureAnalyzer extends AbstractFailureAnalyzer<IneffectivePropertiesException> {

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, IneffectivePropertiesException cause) {
        StringBuilder description = new StringBuilder("Properties have no effect under the names that they have:");
        for (Ineffective each : cause.all()) {
            description.append("%n%n    Property: %s".formatted(each.property()));
            if (each.origin() != null) {
                description.append("%n    Origin: %s".formatted(each.origin()));
            }
            description.append("%n    Reason: %s".formatted(each.reason()));
        }
        return new FailureAnalysis(
                description.toString(), "Write each of them as its reason says, or remove it.", cause);
    }
}
