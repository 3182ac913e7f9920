package dev.jobs.interop;

import java.io.IOException;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.ExtensionContext;

/** Beside a sidekiq-cron with namespaces, which version 2 introduced. */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@NeedsSidekiq
@ExtendWith(NeedsSidekiqCron.Condition.class)
@interface NeedsSidekiqCron {

    /** Asks Ruby. */
    final class Condition implements ExecutionCondition {

        private static final String QUESTION = "require 'sidekiq'; require 'sidekiq-cron'; Sidekiq::Cron::Namespace";

        @Override
        public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
            if (Ruby.search().ruby().map(Condition::hasCron).orElse(false)) {
                return ConditionEvaluationResult.enabled("sidekiq-cron is there");
            }
            return ConditionEvaluationResult.disabled(Ruby.MISSING + Ruby.WITH_SIDEKIQ_8);
        }

        private static boolean hasCron(Ruby ruby) {
            List<String> asking = new ArrayList<>(ruby.command());
            asking.addAll(List.of("-e", QUESTION));
            try {
                Process process = new ProcessBuilder(asking)
                        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                        .redirectError(ProcessBuilder.Redirect.DISCARD)
                        .start();
                process.getOutputStream().close();
                return process.onExit().join().exitValue() == 0;
            } catch (IOException e) {
                return false;
            }
        }
    }
}
