package dev.jobs.interop;

import java.io.IOException;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.ExtensionContext;

/** Skips a class if there is no sidekiq-cron with namespaces, which version 2 introduced; reports this in one line. */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Tag("needs-sidekiq-cron-2")
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
            String reason = "no sidekiq-cron 2 beside Ruby's Sidekiq";
            System.out.println("SKIPPED: recurring jobs beside Ruby; " + reason);
            return ConditionEvaluationResult.disabled(reason);
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
