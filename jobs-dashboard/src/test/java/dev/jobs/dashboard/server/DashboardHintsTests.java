package dev.jobs.dashboard.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.admin.Stats;
import dev.jobs.dashboard.metrics.MetricsApi;
import dev.jobs.dashboard.web.ListView;
import java.io.File;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;
import org.springframework.boot.actuate.autoconfigure.web.server.ManagementPortType;
import org.springframework.util.ClassUtils;

/** Answers are made of records, in whatever package they are. */
class DashboardHintsTests {

    @Test
    void recordsOfAllFeaturesAreRegistered() {
        RuntimeHints hints = new RuntimeHints();
        new DashboardHints().registerHints(hints, getClass().getClassLoader());

        List<Class<?>> ofAFeature = Stream.of(MetricsApi.class.getDeclaredClasses())
                .filter(Class::isRecord)
                .toList();
        assertThat(ofAFeature).isNotEmpty();
        assertThat(Stream.concat(Stream.of(ListView.class, Stats.class), ofAFeature.stream()))
                .allMatch(
                        type -> RuntimeHintsPredicates.reflection().onType(type).test(hints));
    }

    @Test
    void theActuatorIsFoundByName() {
        RuntimeHints hints = new RuntimeHints();
        new DashboardHints().registerHints(hints, getClass().getClassLoader());

        assertThat(RuntimeHintsPredicates.reflection().onType(ManagementPortType.class))
                .accepts(hints);
    }

    @ParameterizedTest
    @CsvSource({
        "spring-webflux, dev.jobs.dashboard.reactive.ReactiveMappings$Routes",
        "spring-webmvc, dev.jobs.dashboard.servlet.ServletMappings$Routes"
    })
    void anApplicationNeedsOneWebStack(String missing, String unusable) throws Exception {
        try (URLClassLoader application = classPathWithout(missing)) {
            assertThat(ClassUtils.isPresent(unusable, application))
                    .as("the record %s without %s", unusable, missing)
                    .isFalse();
            Class<?> hints = application.loadClass(RuntimeHints.class.getName());
            Object registrar = application
                    .loadClass(DashboardHints.class.getName())
                    .getConstructor()
                    .newInstance();

            registrar
                    .getClass()
                    .getMethod("registerHints", hints, ClassLoader.class)
                    .invoke(registrar, hints.getConstructor().newInstance(), application);
        }
    }

    private static URLClassLoader classPathWithout(String library) throws IOException {
        List<URL> urls = new ArrayList<>();
        for (String entry : System.getProperty("java.class.path").split(File.pathSeparator)) {
            if (!entry.contains(library)) {
                urls.add(Path.of(entry).toUri().toURL());
            }
        }
        return new URLClassLoader(urls.toArray(URL[]::new), ClassLoader.getPlatformClassLoader());
    }
}
