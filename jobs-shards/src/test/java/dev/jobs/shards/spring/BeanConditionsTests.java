package dev.jobs.shards.spring;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.annotation.MergedAnnotation.Adapt;
import org.springframework.core.type.AnnotatedTypeMetadata;
import org.springframework.core.type.AnnotationMetadata;
import org.springframework.core.type.MethodMetadata;
import org.springframework.core.type.classreading.SimpleMetadataReaderFactory;
import org.springframework.util.ClassUtils;

/**
 * A condition sees only beans that Spring has registered before. Of one auto-configuration, Spring registers nested
 * classes first, in no order to rely on, then imported ones in their order, and the class itself at last.
 */
class BeanConditionsTests {

    private final SimpleMetadataReaderFactory classes = new SimpleMetadataReaderFactory();

    @Test
    void noneWaitsForABeanThatMayComeLater() throws IOException {
        List<String> found = new ArrayList<>();
        for (String each : EveryBeanTests.autoConfigurations()) {
            if (each.startsWith("dev.jobs.")) {
                found.addAll(tooEarly(each));
            }
        }
        assertThat(found).isEmpty();
    }

    @Configuration(proxyBeanMethods = false)
    @Import({BesideIt.Importing.class, BesideIt.Imported.class})
    static class BesideIt {

        @Bean
        Integer number() {
            return 1;
        }

        @Configuration(proxyBeanMethods = false)
        static class Sibling {

            @Bean
            String text() {
                return "";
            }
        }

        @Configuration(proxyBeanMethods = false)
        @ConditionalOnBean(CharSequence.class)
        static class WaitsForItsSibling {}

        @Configuration(proxyBeanMethods = false)
        static class WaitsForTheOuterClass {

            @Bean
            @ConditionalOnSingleCandidate(Number.class)
            Object waiting(Number number) {
                return number;
            }
        }

        @ConditionalOnBean(Boolean.class)
        static class Importing {}

        @ConditionalOnBean(name = "text")
        static class Imported {

            @Bean
            boolean truth() {
                return true;
            }

            @Bean
            @ConditionalOnBean(Boolean.class)
            Object afterIt() {
                return true;
            }
        }
    }

    @Test
    void suchConditionsAreFound() throws IOException {
        assertThat(tooEarly(BesideIt.class.getName()))
                .containsExactlyInAnyOrder(
                        BesideIt.WaitsForItsSibling.class.getName() + ": " + CharSequence.class.getName(),
                        BesideIt.WaitsForTheOuterClass.class.getName() + ".waiting: " + Number.class.getName(),
                        BesideIt.Importing.class.getName() + ": " + Boolean.class.getName());
    }

    private List<String> tooEarly(String autoConfiguration) throws IOException {
        List<Condition> conditions = new ArrayList<>();
        List<MethodMetadata> all = walk(autoConfiguration, List.of(), conditions);
        return conditions.stream()
                .filter(each ->
                        all.stream().anyMatch(bean -> !each.before().contains(bean) && isMeant(bean, each.bean())))
                .map(each -> each.owner() + ": " + each.bean())
                .toList();
    }

    /**
     * A condition of a class or of one of its methods.
     *
     * @param bean the type or the name of what it waits for
     * @param before what is registered before, for certain
     */
    private record Condition(String owner, String bean, List<MethodMetadata> before) {}

    /** Collects the conditions of a configuration with all in it, and returns its beans. */
    private List<MethodMetadata> walk(String type, List<MethodMetadata> earlier, List<Condition> conditions)
            throws IOException {
        AnnotationMetadata metadata = classes.getMetadataReader(type).getAnnotationMetadata();
        List<MethodMetadata> own = new ArrayList<>();
        for (String member : metadata.getMemberClassNames()) {
            if (!isImported(member, metadata)) {
                own.addAll(walk(member, earlier, conditions));
            }
        }
        for (String imported : imports(metadata)) {
            own.addAll(walk(imported, both(earlier, own), conditions));
        }
        add(metadata, type, both(earlier, own), conditions);
        for (MethodMetadata bean : metadata.getAnnotatedMethods(Bean.class.getName())) {
            add(bean, type + "." + bean.getMethodName(), both(earlier, own), conditions);
            own.add(bean);
        }
        return own;
    }

    private static boolean isImported(String member, AnnotationMetadata metadata) {
        return imports(metadata).contains(member);
    }

    private static List<String> imports(AnnotationMetadata metadata) {
        Map<String, Object> imports = metadata.getAnnotationAttributes(Import.class.getName(), true);
        return imports == null
                ? List.of()
                : Stream.of((String[]) imports.get("value"))
                        .filter(each -> each.startsWith("dev.jobs."))
                        .toList();
    }

    private static List<MethodMetadata> both(List<MethodMetadata> earlier, List<MethodMetadata> own) {
        return Stream.concat(earlier.stream(), own.stream()).toList();
    }

    private static void add(
            AnnotatedTypeMetadata owner, String name, List<MethodMetadata> before, List<Condition> conditions) {
        Stream.of(ConditionalOnBean.class, ConditionalOnSingleCandidate.class)
                .flatMap(condition -> owner.getAnnotations().stream(condition))
                .map(condition -> condition.asMap(Adapt.CLASS_TO_STRING))
                .flatMap(condition -> Stream.of("value", "type", "name").map(condition::get))
                .flatMap(value -> value instanceof String[] many
                        ? Stream.of(many)
                        : Stream.ofNullable((String) value).filter(one -> !one.isEmpty()))
                .forEach(bean -> conditions.add(new Condition(name, bean, before)));
    }

    private static boolean isMeant(MethodMetadata bean, String wanted) {
        return bean.getMethodName().equals(wanted)
                || bean.getReturnTypeName().equals(wanted)
                || isPresent(wanted)
                        && isPresent(bean.getReturnTypeName())
                        && ClassUtils.isAssignable(loaded(wanted), loaded(bean.getReturnTypeName()));
    }

    private static boolean isPresent(String type) {
        return ClassUtils.isPresent(type, BeanConditionsTests.class.getClassLoader());
    }

    private static Class<?> loaded(String type) {
        return ClassUtils.resolveClassName(type, BeanConditionsTests.class.getClassLoader());
    }
}
