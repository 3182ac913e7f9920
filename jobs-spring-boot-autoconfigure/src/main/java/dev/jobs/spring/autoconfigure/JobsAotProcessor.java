package dev.jobs.spring.autoconfigure;

import dev.jobs.JobDefinition;
import dev.jobs.codec.ParameterType;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.BindingReflectionHintsRegistrar;
import org.springframework.aot.hint.ExecutableMode;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.beans.factory.aot.BeanFactoryInitializationAotContribution;
import org.springframework.beans.factory.aot.BeanFactoryInitializationAotProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;

/** Registers the job methods, the types of their arguments, and the Redis scripts for a native image. */
final class JobsAotProcessor implements BeanFactoryInitializationAotProcessor {

    @Override
    public @Nullable BeanFactoryInitializationAotContribution processAheadOfTime(
            ConfigurableListableBeanFactory beanFactory) {
        if (beanFactory.getBeanNamesForType(JobDiscovery.class, true, false).length == 0) {
            return null;
        }
        List<JobDefinition> definitions = new JobDiscovery(beanFactory).find();
        return (generation, code) -> contribute(generation.getRuntimeHints(), definitions);
    }

    private static void contribute(RuntimeHints hints, List<JobDefinition> definitions) {
        hints.resources().registerPattern("dev/jobs/redis/*.lua");
        hints.resources().registerPattern("dev/jobs/redis/effects.txt");
        hints.resources().registerPattern("dev/jobs/redis/checks.txt");
        BindingReflectionHintsRegistrar types = new BindingReflectionHintsRegistrar();
        for (JobDefinition definition : definitions) {
            hints.reflection().registerMethod(definition.method(), ExecutableMode.INVOKE);
            for (ParameterType parameter : definition.parameters()) {
                types.registerReflectionHints(hints.reflection(), parameter.type());
            }
        }
    }
}
