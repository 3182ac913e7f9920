package dev.jobs.interop;

import dev.jobs.embeddedredis.EmbeddedRedis;
import dev.jobs.embeddedredis.UnsupportedPlatformException;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;

/** Beside Ruby with Sidekiq. Only the proof runs it, which skips it and says what to install if there is none. */
@Target({ElementType.TYPE, ElementType.ANNOTATION_TYPE, ElementType.METHOD})
@Retention(RetentionPolicy.RUNTIME)
@Tag("proof")
@Tag("ruby")
@ExtendWith(NeedsSidekiq.Condition.class)
@interface NeedsSidekiq {

    /** Searches once for all classes. Its reasons begin like those of {@link dev.jobs.proof.Requires}. */
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
                return ConditionEvaluationResult.disabled(search.missing());
            }
            try {
                EmbeddedRedis.start().close();
            } catch (UnsupportedPlatformException e) {
                return ConditionEvaluationResult.disabled(Ruby.MISSING + "redis-server");
            }
            String found = "Sidekiq " + search.ruby().get().version();
            System.out.println("Beside our workers runs " + found);
            return ConditionEvaluationResult.enabled(found);
        }
    }
}
