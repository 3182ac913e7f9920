package dev.jobs.interop;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.ExtensionContext;

/** Beside Sidekiq 8 or later: for what Sidekiq has since then. */
@Target({ElementType.TYPE, ElementType.METHOD})
@Retention(RetentionPolicy.RUNTIME)
@NeedsSidekiq
@ExtendWith(NeedsSidekiq8.Condition.class)
@interface NeedsSidekiq8 {

    /** Checks the version. */
    final class Condition implements ExecutionCondition {

        @Override
        public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
            return Ruby.search().ruby().filter(ruby -> ruby.isAtLeast(8)).isPresent()
                    ? ConditionEvaluationResult.enabled("Sidekiq 8 is there")
                    : ConditionEvaluationResult.disabled(Ruby.MISSING + Ruby.WITH_SIDEKIQ_8);
        }
    }
}
