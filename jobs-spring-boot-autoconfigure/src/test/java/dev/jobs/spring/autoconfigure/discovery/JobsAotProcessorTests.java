package dev.jobs.spring.autoconfigure.discovery;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.Job;
import dev.jobs.JobCall;
import dev.jobs.Masked;
import dev.jobs.deaths.OnDeath;
import dev.jobs.limits.Limit;
import dev.jobs.retries.Retry;
import dev.jobs.unique.Unique;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.aot.generate.ClassNameGenerator;
import org.springframework.aot.generate.DefaultGenerationContext;
import org.springframework.aot.generate.GeneratedFiles;
import org.springframework.aot.generate.InMemoryGeneratedFiles;
import org.springframework.aot.hint.ExecutableHint;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;
import org.springframework.beans.factory.aot.BeanFactoryInitializationAotProcessor;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.boot.autoconfigure.AutoConfigurationPackages;
import org.springframework.core.io.support.SpringFactoriesLoader;
import org.springframework.javapoet.ClassName;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class JobsAotProcessorTests {

    private final DefaultListableBeanFactory beans = new DefaultListableBeanFactory();

    @Test
    void aNativeImageLearnsOfMethodsArgumentsAndScripts() throws Exception {
        beans.registerBeanDefinition("discovery", new RootBeanDefinition(JobDiscovery.class));
        beans.registerBeanDefinition("shop", new RootBeanDefinition(Shop.class));

        RuntimeHints hints = process().getRuntimeHints();

        assertThat(RuntimeHintsPredicates.reflection()
                        .onMethodInvocation(Shop.class.getDeclaredMethod("sell", List.class)))
                .accepts(hints);
        assertThat(RuntimeHintsPredicates.reflection()
                        .onMethodInvocation(Shop.class.getDeclaredMethod("unsold", List.class)))
                .accepts(hints);
        for (Class<?> each : List.of(Job.class, Unique.class, Limit.class, OnDeath.class)) {
            assertThat(RuntimeHintsPredicates.proxies().forInterfaces(each)).accepts(hints);
            assertThat(RuntimeHintsPredicates.reflection().onType(each)).accepts(hints);
        }
        assertThat(RuntimeHintsPredicates.reflection().onType(Limit.Several.class))
                .accepts(hints);
        assertThat(RuntimeHintsPredicates.reflection().onType(Item.class)).accepts(hints);
        assertThat(RuntimeHintsPredicates.reflection().onType(Size.class)).accepts(hints);
        assertThat(RuntimeHintsPredicates.reflection().onType(Receipt.class)).accepts(hints);
        assertThat(RuntimeHintsPredicates.resource().forResource("dev/jobs/store/claim.lua"))
                .accepts(hints);
        assertThat(RuntimeHintsPredicates.resource().forResource("dev/jobs/batches/effect_batch.lua"))
                .accepts(hints);
        assertThat(RuntimeHintsPredicates.resource().forResource("dev/jobs/redis/parts.txt"))
                .accepts(hints);
    }

    @Test
    void aNativeImageLearnsOfTheAnnotationsOfAllFeatures() {
        beans.registerBeanDefinition("discovery", new RootBeanDefinition(JobDiscovery.class));

        RuntimeHints hints = process().getRuntimeHints();

        assertThat(List.of(Job.class, Limit.class, Unique.class, Retry.class)).allSatisfy(each -> {
            assertThat(RuntimeHintsPredicates.reflection()
                            .onType(each)
                            .withMemberCategory(MemberCategory.INVOKE_DECLARED_METHODS))
                    .accepts(hints);
            assertThat(RuntimeHintsPredicates.proxies().forInterfaces(each)).accepts(hints);
        });
        assertThat(RuntimeHintsPredicates.reflection()
                        .onType(Limit.Several.class)
                        .withMemberCategory(MemberCategory.INVOKE_DECLARED_METHODS))
                .accepts(hints);
    }

    @Test
    void aMethodBehindAProxyCanBeCalledByItsInterface() throws Exception {
        beans.registerBeanDefinition("discovery", new RootBeanDefinition(JobDiscovery.class));
        beans.registerBeanDefinition("counter", new RootBeanDefinition(Till.class));

        RuntimeHints hints = process().getRuntimeHints();

        assertThat(RuntimeHintsPredicates.reflection()
                        .onMethodInvocation(Counter.class.getDeclaredMethod("count", int.class)))
                .accepts(hints);
    }

    @Test
    void annotationsOfParametersCanBeReadWhereASupertypeHasThem() {
        beans.registerBeanDefinition("discovery", new RootBeanDefinition(JobDiscovery.class));
        beans.registerBeanDefinition("safe", new RootBeanDefinition(Safe.class));

        RuntimeHints hints = process().getRuntimeHints();

        assertThat(hints.reflection().getTypeHint(Secrets.class)).satisfies(type -> assertThat(type.methods())
                .extracting(ExecutableHint::getName)
                .containsExactly("keep"));
    }

    @Test
    void referencesToJobMethodsCanBeReadInTheApplicationAndBesideItsBeans() throws Exception {
        beans.registerBeanDefinition("discovery", new RootBeanDefinition(JobDiscovery.class));
        beans.registerBeanDefinition("shop", new RootBeanDefinition(Shop.class));
        AutoConfigurationPackages.register(beans, "dev.jobs.spring.autoconfigure.context");

        InMemoryGeneratedFiles files = (InMemoryGeneratedFiles) process().getGeneratedFiles();

        String path = "META-INF/native-image/dev.jobs/" + Shop.class.getName() + "/reachability-metadata.json";
        JsonNode entries = new JsonMapper()
                .readTree(files.getGeneratedFileContent(GeneratedFiles.Kind.RESOURCE, path))
                .get("reflection");
        assertThat(entries).hasSize(1);
        JsonNode lambda = entries.get(0).at("/type/lambda");
        assertThat(lambda.get("declaringClass").asString()).isEqualTo(Shop.class.getName());
        assertThat(lambda.at("/interfaces/0").asString()).isEqualTo("dev.jobs.JobMethod$P1");
        assertThat(entries.get(0).at("/methods/0/name").asString()).isEqualTo("writeReplace");
        assertThat(files.getGeneratedFiles(GeneratedFiles.Kind.RESOURCE).keySet())
                .anyMatch(each -> each.contains(".context.CarriedContextIT"));
    }

    @Test
    void contextsThatShareAClassWriteItsFileTwice() throws Exception {
        beans.registerBeanDefinition("discovery", new RootBeanDefinition(JobDiscovery.class));
        beans.registerBeanDefinition("shop", new RootBeanDefinition(Shop.class));
        DefaultGenerationContext generation = process();

        new JobsAotProcessor().processAheadOfTime(beans).applyTo(generation, null);
    }

    @Test
    void placeholdersAreNotResolvedBeforeTheApplicationRuns() throws Exception {
        beans.registerBeanDefinition("discovery", new RootBeanDefinition(JobDiscovery.class));
        beans.registerBeanDefinition("configured", new RootBeanDefinition(Configured.class));

        assertThat(RuntimeHintsPredicates.reflection()
                        .onMethodInvocation(Configured.class.getDeclaredMethod("run", Item.class)))
                .accepts(process().getRuntimeHints());
    }

    static class Configured {

        @Job(value = "${app.name}", queue = "${app.queue}", timeout = "${app.timeout}")
        void run(Item item) {}
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

    private DefaultGenerationContext process() {
        DefaultGenerationContext generation = new DefaultGenerationContext(
                new ClassNameGenerator(ClassName.get(JobsAotProcessorTests.class)), new InMemoryGeneratedFiles());
        new JobsAotProcessor().processAheadOfTime(beans).applyTo(generation, null);
        return generation;
    }

    record Item(String name, Size size) {}

    record Receipt(int number) {}

    enum Size {
        SMALL,
        LARGE
    }

    static class Shop {

        @Job
        Receipt sell(List<Item> items) {
            return new Receipt(items.size());
        }

        @OnDeath
        void unsold(List<Item> items) {}

        JobCall sale(List<Item> items) {
            return JobCall.of(Shop::sell, items);
        }
    }

    interface Counter {
        void count(int items);
    }

    static class Till implements Counter {

        @Job
        @Override
        public void count(int items) {}
    }

    abstract static class Secrets<T> {
        abstract void keep(@Masked T secret);
    }

    static class Safe extends Secrets<String> {

        @Job
        @Override
        void keep(String secret) {}
    }
}
