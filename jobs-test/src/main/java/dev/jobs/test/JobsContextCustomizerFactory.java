package dev.jobs.test;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.test.util.TestPropertyValues;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.test.context.ContextConfigurationAttributes;
import org.springframework.test.context.ContextCustomizer;
import org.springframework.test.context.ContextCustomizerFactory;
import org.springframework.test.context.MergedContextConfiguration;
import org.springframework.test.context.TestContextAnnotationUtils;

/** Tells the application context which {@link JobsMode} a test class asks for. */
final class JobsContextCustomizerFactory implements ContextCustomizerFactory {

    @Override
    public @Nullable ContextCustomizer createContextCustomizer(
            Class<?> testClass, List<ContextConfigurationAttributes> attributes) {
        AutoConfigureJobs asked = TestContextAnnotationUtils.findMergedAnnotation(testClass, AutoConfigureJobs.class);
        return asked == null ? null : new Customizer(asked.mode(), asked.ownRedis());
    }

    /** Its value is part of the key under which Spring caches contexts. */
    private record Customizer(JobsMode mode, boolean ownRedis) implements ContextCustomizer {

        @Override
        public void customizeContext(ConfigurableApplicationContext context, MergedContextConfiguration test) {
            boolean works = mode == JobsMode.WORKER;
            TestPropertyValues.of(
                            JobsTestAutoConfiguration.MODE + "=" + mode,
                            JobsTestAutoConfiguration.REDIS + "=" + (works ? ownRedis ? "own" : "given" : "none"),
                            "jobs.worker.enabled=" + works,
                            "jobs.outbox.relay=" + works)
                    .applyTo(context);
        }
    }
}
