package dev.jobs.shards.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.dashboard.assembly.DashboardAutoConfiguration;
import dev.jobs.spring.autoconfigure.checks.ForeignKeys;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.bind.handler.IgnoreTopLevelConverterNotFoundBindHandler;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.boot.webmvc.autoconfigure.DispatcherServletAutoConfiguration;
import org.springframework.boot.webmvc.autoconfigure.WebMvcAutoConfiguration;
import org.springframework.context.annotation.ClassPathScanningCandidateComponentProvider;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.type.filter.AnnotationTypeFilter;

/** One value in the place of any group of properties of any module may be the application's own. */
class EveryGroupTests {

    static Stream<Arguments> groups() throws ClassNotFoundException {
        ClassPathScanningCandidateComponentProvider classes = new ClassPathScanningCandidateComponentProvider(false);
        classes.addIncludeFilter(new AnnotationTypeFilter(ConfigurationProperties.class));
        List<Arguments> groups = new ArrayList<>();
        for (BeanDefinition each : classes.findCandidateComponents("dev.jobs")) {
            Class<?> type = Class.forName(each.getBeanClassName());
            String prefix = type.getAnnotation(ConfigurationProperties.class).value();
            if (type.isRecord() && (prefix.equals("jobs") || prefix.startsWith("jobs."))) {
                below(type, prefix).forEach(name -> groups.add(Arguments.of(name, prefix, type)));
            }
        }
        assertThat(groups)
                .extracting(each -> each.get()[0])
                .contains(
                        "jobs.timeout",
                        "jobs.limits",
                        "jobs.recurring.schedules",
                        "jobs.shards",
                        "jobs.spread-queues",
                        "jobs.dashboard.system",
                        "jobs.dashboard.installations");
        return groups.stream();
    }

    private static Stream<String> below(Class<?> type, String prefix) {
        return Stream.of(type.getRecordComponents()).flatMap(each -> {
            String name = name(each, prefix);
            return each.getType().isRecord()
                    ? Stream.concat(Stream.of(name), below(each.getType(), name))
                    : Map.class == each.getType() ? Stream.of(name) : Stream.of();
        });
    }

    private static String name(RecordComponent component, String prefix) {
        return prefix + "." + component.getName().replaceAll("([A-Z])", "-$1").toLowerCase(Locale.ROOT);
    }

    @ParameterizedTest
    @MethodSource("groups")
    void aValueInThePlaceOfAGroupIsLeftAlone(String group, String prefix, Class<?> type) {
        assertThat(bind(group, prefix, type)).isEqualTo(bind("other", prefix, type));
    }

    private static Object bind(String property, String prefix, Class<?> type) {
        Binder binder =
                new Binder(ConfigurationPropertySources.from(new MapPropertySource("test", Map.of(property, "30s"))));
        return binder.bindOrCreate(
                prefix, Bindable.of(type), new ForeignKeys().apply(new IgnoreTopLevelConverterNotFoundBindHandler()));
    }

    @Test
    void aValueInThePlaceOfAWholeModuleOrOfAllIsLeftAlone() {
        new WebApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(
                        DispatcherServletAutoConfiguration.class,
                        WebMvcAutoConfiguration.class,
                        org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration.class,
                        dev.jobs.spring.autoconfigure.JobsAutoConfiguration.class,
                        JobsShardsAutoConfiguration.class,
                        DashboardAutoConfiguration.class))
                .withPropertyValues("jobs.worker.enabled=false", "jobs.dashboard=on", "jobs=4")
                .run(context -> assertThat(context).hasNotFailed());
    }

    /** Nobody has this module and means something else; jobs would be pushed elsewhere. */
    @Test
    void anAddressInThePlaceOfAShardEndsTheStart() {
        ShardsContext.withoutStart()
                .withPropertyValues("jobs.shards.east=redis://localhost:1")
                .run(context ->
                        assertThat(context).getFailure().hasStackTraceContaining(BindException.class.getName()));
    }
}
