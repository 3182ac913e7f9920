package dev.jobs.history;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;
import org.springframework.boot.json.JsonParserFactory;

class HistoryPropertiesTests {

    private static HistoryProperties bind(Map<String, String> values) {
        return new Binder(new MapConfigurationPropertySource(values))
                .bindOrCreate("jobs.history", HistoryProperties.class);
    }

    @Test
    void aTimeWithoutAUnitIsInSeconds() {
        HistoryProperties properties = bind(Map.of("jobs.history.interval", "2", "jobs.history.retention", "86400"));
        assertThat(properties.interval()).hasSeconds(2);
        assertThat(properties.retention()).hasDays(1);
    }

    @ParameterizedTest
    @CsvSource({"interval, 9ms", "interval, 11s", "retention, 90", "retention, 10001d"})
    void aValueOutOfRangeIsRefusedWithItsRange(String property, String value) {
        assertThatThrownBy(() -> bind(Map.of("jobs.history." + property, value)))
                .rootCause()
                .hasMessageContaining("jobs.history." + property + " must be");
    }

    /** The table is written by hand; its texts are those of the metadata. */
    @Test
    @SuppressWarnings("unchecked")
    void thePageHasAllProperties() throws IOException {
        String page = Files.readString(Path.of("..", "docs", "history.md"));
        try (InputStream metadata =
                HistoryProperties.class.getResourceAsStream("/META-INF/spring-configuration-metadata.json")) {
            List<Map<String, Object>> properties = (List<Map<String, Object>>) JsonParserFactory.getJsonParser()
                    .parseMap(new String(metadata.readAllBytes(), StandardCharsets.UTF_8))
                    .get("properties");
            assertThat(properties).hasSize(6).allSatisfy(property -> assertThat(page)
                    .contains("| `" + property.get("name") + "` | " + shown(property.get("defaultValue")) + " | "
                            + Objects.toString(property.get("description")) + " |"));
        }
    }

    private static String shown(Object defaultValue) {
        return defaultValue == null || List.of().equals(defaultValue) ? "–" : "`" + defaultValue + "`";
    }
}
