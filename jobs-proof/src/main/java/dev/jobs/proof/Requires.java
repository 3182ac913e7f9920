package dev.jobs.proof;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Repeatable;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.platform.commons.support.AnnotationSupport;

/**
 * A test of something that a JDK doesn't bring. Only the proof runs it; where the requirement isn't met, the test is
 * skipped and {@link Report} names what to install. Put it on an annotation that also carries the kind of test as a
 * {@link Tag}, such as {@code browser}.
 */
@Documented
@Inherited
@Repeatable(Requires.All.class)
@Target({ElementType.TYPE, ElementType.METHOD, ElementType.ANNOTATION_TYPE})
@Retention(RetentionPolicy.RUNTIME)
@Tag("proof")
@ExtendWith(Requires.Condition.class)
public @interface Requires {

    /**
     * A line for {@code sh}, run in the module's folder, that succeeds where the requirement is met. Each runs once in
     * a JVM.
     */
    String check();

    /** What to install or to do, such as {@code chromium chromium-driver}, without a comma. */
    String install();

    /** Several requirements. */
    @Documented
    @Inherited
    @Target({ElementType.TYPE, ElementType.METHOD, ElementType.ANNOTATION_TYPE})
    @Retention(RetentionPolicy.RUNTIME)
    @Tag("proof")
    @ExtendWith(Condition.class)
    @interface All {

        /** All that have to be met. */
        Requires[] value();
    }

    /** Skips a test for the first of its requirements that is not met. */
    final class Condition implements ExecutionCondition {

        /** What the reasons of all skipped tests begin with, for {@link Tally}. */
        static final String MISSING = "missing: ";

        @Override
        public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
            List<Requires> requirements = context.getElement()
                    .map(element -> AnnotationSupport.findRepeatableAnnotations(element, Requires.class))
                    .orElse(List.of());
            for (Requires requirement : requirements) {
                boolean met = Objects.requireNonNull(context.getRoot()
                        .getStore(Namespace.create(Requires.class))
                        .computeIfAbsent(requirement.check(), Condition::succeeds, Boolean.class));
                if (!met) {
                    return ConditionEvaluationResult.disabled(MISSING + requirement.install());
                }
            }
            return ConditionEvaluationResult.enabled("all requirements are met");
        }

        private static boolean succeeds(String check) {
            try {
                Process process = new ProcessBuilder("sh", "-c", check)
                        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                        .redirectError(ProcessBuilder.Redirect.DISCARD)
                        .start();
                process.getOutputStream().close();
                return process.waitFor() == 0;
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IllegalStateException(e);
            }
        }
    }
}
