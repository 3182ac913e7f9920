package dev.jobs.outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;
import org.springframework.boot.json.JsonParserFactory;

class OutboxPropertiesTests {

    private static OutboxProperties bind(Map<String, String> values) {
        return new Binder(new MapConfigurationPropertySource(values))
                .bindOrCreate("jobs.outbox", OutboxProperties.class);
    }

    @Test
    void aTimeWithoutAUnitIsInSeconds() {
        assertThat(bind(Map.of("jobs.outbox.poll-interval", "30")).pollInterval())
                .hasSeconds(30);
    }

    @ParameterizedTest
    @CsvSource({"lanes, 0", "lanes, 65", "poll-interval, 1ms", "poll-interval, 11m"})
    void aValueOutOfRangeIsRefusedWithItsRange(String property, String value) {
        assertThatThrownBy(() -> bind(Map.of("jobs.outbox." + property, value)))
                .rootCause()
                .hasMessageContaining("jobs.outbox." + property + " must be");
    }

    /** The table is written by hand; its texts are those of the metadata. */
    @Test
    @SuppressWarnings("unchecked")
    void thePageHasAllProperties() throws IOException {
        String page = Files.readString(Path.of("..", "docs", "outbox.md"));
        try (InputStream metadata =
                OutboxProperties.class.getResourceAsStream("/META-INF/spring-configuration-metadata.json")) {
            List<Map<String, Object>> properties = (List<Map<String, Object>>) JsonParserFactory.getJsonParser()
                    .parseMap(new String(metadata.readAllBytes(), StandardCharsets.UTF_8))
                    .get("properties");
            assertThat(properties).hasSize(5).allSatisfy(property -> assertThat(page)
                    .contains("| `" + property.get("name") + "` | `" + property.get("defaultValue") + "` | "
                            + property.get("description") + " |"));
        }
    }
}
