package dev.jobs.docs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.shards.spring.ShardsContext;
import dev.jobs.shards.spring.ShardsProperties;
import dev.jobs.spring.autoconfigure.properties.JobsProperties;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.RecordComponent;
import java.net.URL;
import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.context.properties.bind.Name;
import org.springframework.util.unit.DataSize;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * The metadata that IDEs show for our properties. An annotation processor generates it, which newer JDKs silently skip
 * if the build is configured wrongly.
 */
class ConfigurationMetadataTests {

    /** Types for which an IDE knows no values. */
    private static final Set<Class<?>> OPEN =
            Set.of(String.class, List.class, Map.class, Duration.class, DataSize.class);

    /** What an entry of each map may have. */
    private static final Map<String, String> ENTRIES = Map.of(
            "jobs.capsules", ".queues=a",
            "jobs.limits", ".concurrency=1",
            "jobs.queue-limits", ".concurrency=1",
            "jobs.ordered-queues", "=fair",
            "jobs.recurring.schedules", ".job=Report .cron=@daily",
            "jobs.encryption.keys", "=" + "A".repeat(43) + "=");

    /** What a property needs beside it. */
    private static final Map<String, String> BESIDE =
            Map.of("jobs.encryption.active", "jobs.encryption.keys.2026-11=" + "A".repeat(43) + "=");

    /** Nobody is to copy one. */
    private static final Set<String> SECRETS = Set.of("jobs.encryption.digest-key");

    private static final Map<String, JsonNode> properties = new LinkedHashMap<>();
    private static final Map<String, JsonNode> hints = new LinkedHashMap<>();

    @BeforeAll
    static void read() throws IOException {
        ClassLoader loader = ConfigurationMetadataTests.class.getClassLoader();
        for (URL url : Collections.list(loader.getResources("META-INF/spring-configuration-metadata.json"))) {
            try (InputStream file = url.openStream()) {
                JsonNode all = JsonMapper.shared().readTree(file);
                all.path("properties")
                        .forEach(
                                each -> properties.putIfAbsent(each.path("name").asString(), each));
                all.path("hints")
                        .forEach(each -> hints.putIfAbsent(each.path("name").asString(), each));
            }
        }
    }

    @Test
    void everyPropertyHasADescriptionATypeAndADefault() {
        Map<String, Class<?>> names = names(JobsProperties.class, "jobs");

        assertThat(names).hasSizeGreaterThan(25).containsKeys("jobs.shutdown-timeout", "jobs.dead.max-jobs");
        names.putAll(names(ShardsProperties.class, "jobs"));
        names.keySet().forEach(ConfigurationMetadataTests::assertComplete);
    }

    @Test
    void everyPropertyWithFreeValuesHasExamplesThatAreAccepted() {
        names(JobsProperties.class, "jobs").forEach((name, type) -> {
            if (OPEN.contains(type) && !SECRETS.contains(name)) {
                boolean map = type == Map.class;
                JsonNode hint = hints.get(map ? name + ".keys" : name);
                assertThat(hint).as("hint for " + name).isNotNull();
                assertThat(hint.at("/providers/0/name").asString("")).as(name).isEqualTo("any");
                assertThat(hint.path("values")).as(name).isNotEmpty().allSatisfy(example -> {
                    assertThat(example.path("description").asString(""))
                            .as(name)
                            .matches("[A-Z].*\\.");
                    String value = example.path("value").asString();
                    ShardsContext.withoutStart()
                            .withPropertyValues(
                                    map ? entry(name + "[" + value + "]", name) : new String[] {name + "=" + value})
                            .withPropertyValues(BESIDE.getOrDefault(name, "a=b"))
                            .run(context -> assertThat(context).as(name).hasNotFailed());
                });
            }
        });
    }

    private static String[] entry(String begin, String name) {
        return Stream.of(ENTRIES.get(name).split(" ")).map(each -> begin + each).toArray(String[]::new);
    }

    @Test
    void everyHintIsForAPropertyThatExists() {
        assertThat(hints.keySet().stream()
                        .filter(name -> name.startsWith("jobs."))
                        .map(name -> name.replaceFirst("\\.(keys|values)$", "")))
                .isNotEmpty()
                .isSubsetOf(properties.keySet());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "management.health.jobs.enabled",
                "management.endpoint.jobs.access",
                "management.endpoint.jobs.cache.time-to-live"
            })
    void propertiesOfTheActuatorAreDescribedToo(String name) {
        assertComplete(name);
    }

    private static void assertComplete(String name) {
        JsonNode property = properties.get(name);
        assertThat(property).as(name).isNotNull();
        assertThat(property.path("description").asString(""))
                .as("description of " + name)
                .matches("[A-Z].*\\.");
        assertThat(property.path("type").asString("")).as("type of " + name).isNotEmpty();
        assertThat(property.has("defaultValue")).as("default of " + name).isTrue();
    }

    private static Map<String, Class<?>> names(Class<?> type, String prefix) {
        Map<String, Class<?>> names = new LinkedHashMap<>();
        RecordComponent[] components = type.getRecordComponents();
        for (int i = 0; i < components.length; i++) {
            RecordComponent component = components[i];
            Name other = type.getDeclaredConstructors()[0].getParameters()[i].getAnnotation(Name.class);
            String name = prefix + "."
                    + (other == null
                            ? component.getName().replaceAll("([A-Z])", "-$1").toLowerCase(Locale.ROOT)
                            : other.value());
            if (component.getType().isRecord()) {
                names.putAll(names(component.getType(), name));
            } else {
                names.put(name, component.getType());
            }
        }
        return names;
    }
}
