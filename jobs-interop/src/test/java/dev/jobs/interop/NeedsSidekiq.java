package dev.jobs.interop;

import dev.jobs.embeddedredis.EmbeddedRedis;
import dev.jobs.embeddedredis.UnsupportedPlatformException;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;

/** Skips a class if there is no Ruby with Sidekiq or no Redis; reports this once, in one line. */
@Target({ElementType.TYPE, ElementType.ANNOTATION_TYPE, ElementType.METHOD})
@Retention(RetentionPolicy.RUNTIME)
@ExtendWith(NeedsSidekiq.Condition.class)
@interface NeedsSidekiq {

    /** Searches once for all classes. */
    final class Condition implements ExecutionCondition {

        @Override
        public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
            return context.getRoot()
                    .getStore(Namespace.create(NeedsSidekiq.class))
                    .computeIfAbsent("found", key -> look(), ConditionEvaluationResult.class);
        }

        private static ConditionEvaluationResult look() {
            Ruby.Search search = Ruby.search();
            if (search.ruby().isEmpty()) {
                return skipped(search.missing());
            }
            try {
                EmbeddedRedis.start().close();
            } catch (UnsupportedPlatformException e) {
                return skipped(String.valueOf(e.getMessage()));
            }
            String found = "Sidekiq " + search.ruby().get().version();
            System.out.println("Beside our workers runs " + found);
            return ConditionEvaluationResult.enabled(found);
        }

        private static ConditionEvaluationResult skipped(String reason) {
            System.out.println("SKIPPED: tests beside Ruby; " + reason);
            return ConditionEvaluationResult.disabled(reason);
        }
    }
}
