package dev.jobs.spring.autoconfigure.endpoint;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.recurring.DeclaredChanges;
import dev.jobs.spring.autoconfigure.operations.Section;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.springframework.aot.hint.BindingReflectionHintsRegistrar;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.annotation.RegisterReflectionForBinding;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.context.annotation.ImportCandidates;
import org.springframework.context.annotation.ClassPathScanningCandidateComponentProvider;
import org.springframework.core.type.filter.AssignableTypeFilter;
import org.springframework.util.ClassUtils;

/** In a native image, an answer of the endpoint is empty if its records are not registered. */
class EndpointHintsTests {

    private static final String ROOT = "dev.jobs.spring.autoconfigure";

    /** What sections answer with as it comes from the core, without being told by a class of theirs. */
    private static final List<Class<?>> OF_THE_CORE = List.of(DeclaredChanges.class, DeclaredChanges.Change.class);

    private static Stream<Class<?>> sections() {
        ClassPathScanningCandidateComponentProvider scan = new ClassPathScanningCandidateComponentProvider(false);
        scan.addIncludeFilter(new AssignableTypeFilter(Section.class));
        return scan.findCandidateComponents(ROOT).stream()
                .map(BeanDefinition::getBeanClassName)
                .map(name -> ClassUtils.resolveClassName(name, null));
    }

    @Test
    void theRecordsOfAllSectionsAreRegistered() {
        RuntimeHints hints = new RuntimeHints();
        ImportCandidates.load(AutoConfiguration.class, null).getCandidates().stream()
                .filter(each -> each.startsWith(ROOT))
                .map(each -> ClassUtils.resolveClassName(each, null))
                .filter(each -> each.isAnnotationPresent(RegisterReflectionForBinding.class))
                .map(each -> each.getAnnotation(RegisterReflectionForBinding.class))
                .forEach(each -> new BindingReflectionHintsRegistrar()
                        .registerReflectionHints(hints.reflection(), each.value()));
        Set<Class<?>> records = Stream.concat(
                        OF_THE_CORE.stream(),
                        sections()
                                .flatMap(each -> Arrays.stream(each.getDeclaredClasses()))
                                .filter(Class::isRecord))
                .collect(Collectors.toSet());

        assertThat(records).hasSizeGreaterThan(6);
        List<Class<?>> missing = records.stream()
                .filter(each ->
                        !RuntimeHintsPredicates.reflection().onType(each).test(hints))
                .toList();
        assertThat(missing).isEmpty();
    }
}
