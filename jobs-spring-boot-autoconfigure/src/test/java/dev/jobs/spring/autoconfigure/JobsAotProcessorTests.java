package dev.jobs.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.Job;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.aot.generate.ClassNameGenerator;
import org.springframework.aot.generate.DefaultGenerationContext;
import org.springframework.aot.generate.InMemoryGeneratedFiles;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;
import org.springframework.beans.factory.aot.BeanFactoryInitializationAotContribution;
import org.springframework.beans.factory.aot.BeanFactoryInitializationAotProcessor;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.core.io.support.SpringFactoriesLoader;
import org.springframework.javapoet.ClassName;

class JobsAotProcessorTests {

    private final DefaultListableBeanFactory beans = new DefaultListableBeanFactory();

    @Test
    void aNativeImageLearnsOfMethodsArgumentsAndScripts() throws Exception {
        beans.registerBeanDefinition("discovery", new RootBeanDefinition(JobDiscovery.class));
        beans.registerBeanDefinition("shop", new RootBeanDefinition(Shop.class));

        RuntimeHints hints = hints(new JobsAotProcessor().processAheadOfTime(beans));

        assertThat(RuntimeHintsPredicates.reflection()
                        .onMethodInvocation(Shop.class.getDeclaredMethod("sell", List.class)))
                .accepts(hints);
        assertThat(RuntimeHintsPredicates.reflection().onType(Item.class)).accepts(hints);
        assertThat(RuntimeHintsPredicates.reflection().onType(Size.class)).accepts(hints);
        assertThat(RuntimeHintsPredicates.resource().forResource("dev/jobs/redis/claim.lua"))
                .accepts(hints);
        assertThat(RuntimeHintsPredicates.resource().forResource("dev/jobs/redis/effects.txt"))
                .accepts(hints);
        assertThat(RuntimeHintsPredicates.resource().forResource("dev/jobs/redis/checks.txt"))
                .accepts(hints);
    }

    @Test
    void anApplicationWithoutJobsContributesNothing() {
        beans.registerBeanDefinition("shop", new RootBeanDefinition(Shop.class));

        assertThat(new JobsAotProcessor().processAheadOfTime(beans)).isNull();
    }

    @Test
    void isFoundBySpring() {
        assertThat(SpringFactoriesLoader.forResourceLocation("META-INF/spring/aot.factories")
                        .load(BeanFactoryInitializationAotProcessor.class))
                .hasAtLeastOneElementOfType(JobsAotProcessor.class);
    }

    private static RuntimeHints hints(BeanFactoryInitializationAotContribution contribution) {
        DefaultGenerationContext generation = new DefaultGenerationContext(
                new ClassNameGenerator(ClassName.get(JobsAotProcessorTests.class)), new InMemoryGeneratedFiles());
        contribution.applyTo(generation, null);
        return generation.getRuntimeHints();
    }

    record Item(String name, Size size) {}

    enum Size {
        SMALL,
        LARGE
    }

    static class Shop {

        @Job
        void sell(List<Item> items) {}
    }
}
