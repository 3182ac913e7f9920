package dev.jobs.interop;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * For features that Sidekiq has since version 8. The build excludes it by its tag unless a Ruby is named, and it is
 * skipped beside an older one.
 */
@Target({ElementType.TYPE, ElementType.METHOD})
@Retention(RetentionPolicy.RUNTIME)
@Tag("needs-sidekiq-8")
@NeedsSidekiq
@ExtendWith(NeedsSidekiq8.Condition.class)
@interface NeedsSidekiq8 {

    /** Checks the version. */
    final class Condition implements ExecutionCondition {

        @Override
        public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
            return Ruby.search().ruby().filter(ruby -> ruby.isAtLeast(8)).isPresent()
                    ? ConditionEvaluationResult.enabled("Sidekiq 8 is there")
                    : ConditionEvaluationResult.disabled("Sidekiq has this from 8 on");
        }
    }
}
