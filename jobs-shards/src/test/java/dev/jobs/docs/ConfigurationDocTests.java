package dev.jobs.docs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.shards.spring.ShardsProperties;
import dev.jobs.spring.autoconfigure.properties.JobsProperties;
import dev.jobs.spring.autoconfigure.recurring.RecurringProperties;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.RecordComponent;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.springframework.boot.json.JsonParserFactory;

/**
 * The page about properties says the same as IDEs. With {@code -Djobs.docs.write=true} its table is rewritten instead
 * of compared.
 */
class ConfigurationDocTests {

    private static final Path PAGE = Path.of("..", "docs", "configuration.md");
    private static final String BEGIN = "<!-- properties: begin, made by ConfigurationDocTests -->\n";
    private static final String END = "<!-- properties: end -->\n";
    /** Those of modules with pages of their own are described there. */
    private static final String OURS =
            "jobs\\.(?!(dashboard|history|outbox|test)\\.).*|management\\.(health|endpoint)\\.jobs\\..*";

    @Test
    void theTableHasEveryPropertyWithItsDefault() throws IOException {
        String page = Files.readString(PAGE);
        assertThat(page).containsOnlyOnce(BEGIN).containsOnlyOnce(END);
        int begin = page.indexOf(BEGIN) + BEGIN.length();
        int end = page.indexOf(END);

        if (Boolean.getBoolean("jobs.docs.write")) {
            Files.writeString(PAGE, page.substring(0, begin) + table() + page.substring(end));
        } else {
            assertThat(page.substring(begin, end))
                    .as("the table in docs/configuration.md; CONTRIBUTING.md says how to rewrite it")
                    .isEqualTo(table());
        }
    }

    /** The metadata doesn't describe the contents of a map. */
    @Test
    void propertiesOfACapsuleAreDocumentedToo() throws IOException {
        String page = Files.readString(PAGE);

        for (RecordComponent component : JobsProperties.Capsule.class.getRecordComponents()) {
            assertThat(page).contains("`jobs.capsules.NAME." + component.getName() + "`");
        }
    }

    /** Their table is beside their examples. */
    @Test
    void propertiesOfAScheduleAreDocumentedToo() throws IOException {
        String page = Files.readString(PAGE.resolveSibling("recurring-jobs.md"));

        for (RecordComponent component : RecurringProperties.Schedule.class.getRecordComponents()) {
            assertThat(page).contains("`jobs.recurring.schedules.NAME." + inKebabCase(component) + "`");
            assertThat(PAGE).content().contains("." + inKebabCase(component) + "`");
        }
    }

    @Test
    void propertiesOfShardsAndTheirQueuesAreDocumentedToo() throws IOException {
        assertDocumented("jobs.shards.NAME.", ShardsProperties.Shard.class);
        assertDocumented("jobs.spread-queues.NAME.", ShardsProperties.SpreadQueue.class);
        assertDocumented("jobs.moving-queues.NAME.", ShardsProperties.MovingQueue.class);
    }

    private static void assertDocumented(String prefix, Class<?> type) throws IOException {
        for (RecordComponent component : type.getRecordComponents()) {
            assertThat(Files.readString(PAGE)).contains("`" + prefix + inKebabCase(component) + "`");
        }
    }

    private static String inKebabCase(RecordComponent component) {
        return component.getName().replaceAll("([A-Z])", "-$1").toLowerCase(Locale.ROOT);
    }

    private static String table() throws IOException {
        return "\n| Property | Default | Meaning |\n|---|---|---|\n"
                + metadata().values().stream()
                        .filter(property -> name(property).matches(OURS))
                        .map(ConfigurationDocTests::row)
                        .collect(Collectors.joining())
                + "\n";
    }

    private static String row(Map<String, Object> property) {
        String meaning = String.valueOf(property.get("description")).replace("|", "\\|");
        return "| `" + name(property) + "` | `" + shown(property.get("defaultValue")) + "` | " + meaning + " |\n";
    }

    private static String shown(Object value) {
        return "".equals(value) ? "\"\"" : String.valueOf(value);
    }

    private static String name(Map<String, Object> property) {
        return String.valueOf(property.get("name"));
    }

    /** Every property that a library on the class path describes, by name. */
    @SuppressWarnings("unchecked")
    static Map<String, Map<String, Object>> metadata() throws IOException {
        Map<String, Map<String, Object>> all = new TreeMap<>();
        ClassLoader loader = ConfigurationDocTests.class.getClassLoader();
        for (URL url : Collections.list(loader.getResources("META-INF/spring-configuration-metadata.json"))) {
            try (InputStream file = url.openStream()) {
                String json = new String(file.readAllBytes(), StandardCharsets.UTF_8);
                Object properties =
                        JsonParserFactory.getJsonParser().parseMap(json).getOrDefault("properties", List.of());
                ((List<Map<String, Object>>) properties).forEach(each -> all.putIfAbsent(name(each), each));
            }
        }
        return all;
    }
}
