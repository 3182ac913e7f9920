package dev.jobs.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.RecordComponent;
import java.net.URL;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * The metadata that IDEs show for our properties. An annotation processor generates it, which newer JDKs silently skip
 * if the build is configured wrongly.
 */
class ConfigurationMetadataTests {

    private static final Map<String, JsonNode> properties = new LinkedHashMap<>();

    @BeforeAll
    static void read() throws IOException {
        ClassLoader loader = ConfigurationMetadataTests.class.getClassLoader();
        for (URL url : Collections.list(loader.getResources("META-INF/spring-configuration-metadata.json"))) {
            try (InputStream file = url.openStream()) {
                JsonNode all = JsonMapper.shared().readTree(file).path("properties");
                all.forEach(each -> properties.putIfAbsent(each.path("name").asString(), each));
            }
        }
    }

    @Test
    void everyPropertyHasADescriptionATypeAndADefault() {
        List<String> names = names(JobsProperties.class, "jobs");

        assertThat(names).hasSizeGreaterThan(25).contains("jobs.shutdown-timeout", "jobs.dead.max-jobs");
        names.forEach(ConfigurationMetadataTests::assertComplete);
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

    private static List<String> names(Class<?> type, String prefix) {
        List<String> names = new ArrayList<>();
        for (RecordComponent component : type.getRecordComponents()) {
            String name = prefix + "."
                    + component.getName().replaceAll("([A-Z])", "-$1").toLowerCase(Locale.ROOT);
            if (component.getType().isRecord()) {
                names.addAll(names(component.getType(), name));
            } else {
                names.add(name);
            }
        }
        return names;
    }
}
