package dev.jobs.dashboard.pages;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.stream.Collectors.toMap;
import static java.util.stream.Collectors.toSet;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.json.JsonMapper;

/** The texts of the pages: none is missing, none is unused. */
class MessagesTests {

    private static final Path UI = Path.of("src/main/resources/dev/jobs/dashboard/ui");
    private static final Pattern PLACEHOLDER = Pattern.compile("\\{\\d}");
    private static final Pattern FORM = Pattern.compile("\\.(one|other)$");

    /** A key in a script: complete, or its beginning if data supply the rest. */
    private static final Pattern KEY = Pattern.compile("['`]([a-z]+(?:[.-][A-Za-z-]+)*)(['`?]|\\.\\$\\{)");

    private final Map<String, String> english = messages("en");
    private final String scripts = scripts();

    @ParameterizedTest
    @ValueSource(strings = {"de", "fr"})
    void everyLanguageHasAllTexts(String language) {
        Map<String, String> texts = messages(language);
        assertThat(texts.keySet()).isEqualTo(english.keySet());
        texts.forEach((key, text) -> assertThat(placeholders(text)).as(key).isEqualTo(placeholders(english.get(key))));
        assertThat(texts.values()).noneMatch(String::isBlank);
    }

    /** A reader of screens lists them by their names. */
    @ParameterizedTest
    @ValueSource(strings = {"en", "de", "fr"})
    void theNavigationAndThePagesOfAListHaveDifferentNames(String language) {
        Map<String, String> texts = messages(language);
        assertThat(texts.get("pager.label")).isNotNull().isNotEqualTo(texts.get("nav.pages"));
    }

    @Test
    void everyTextIsUsed() {
        Set<String> whole = new TreeSet<>();
        Set<String> beginnings = new TreeSet<>();
        Matcher key = KEY.matcher(scripts);
        while (key.find()) {
            (key.group(2).startsWith(".") ? beginnings : whole).add(key.group(1));
        }
        assertThat(english.keySet().stream()
                        .map(text -> FORM.matcher(text).replaceFirst(""))
                        .filter(text -> !whole.contains(text))
                        .filter(text -> beginnings.stream().noneMatch(beginning -> text.startsWith(beginning + "."))))
                .isEmpty();
    }

    @Test
    void everyTextThatIsAskedForExists() {
        Set<String> asked = Pattern.compile("\\b(?:t|plural)\\(\\s*'([^']+)'")
                .matcher(scripts)
                .results()
                .map(match -> match.group(1))
                .collect(toSet());
        assertThat(asked)
                .hasSizeGreaterThan(100)
                .allMatch(text -> english.containsKey(text) || english.containsKey(text + ".other"));
    }

    private static Set<String> placeholders(String text) {
        return PLACEHOLDER.matcher(text).results().map(match -> match.group()).collect(toSet());
    }

    private static Map<String, String> messages(String language) {
        return new JsonMapper()
                .readTree(read(UI.resolve("messages/" + language + ".json"))).properties().stream()
                        .collect(toMap(
                                Map.Entry::getKey, entry -> entry.getValue().stringValue()));
    }

    private static String scripts() {
        try (var files = Files.walk(UI.resolve("assets"))) {
            return files.filter(file -> file.toString().endsWith(".js"))
                    .filter(file -> !file.getFileName().toString().startsWith("vendor-"))
                    .map(MessagesTests::read)
                    .reduce("", String::concat);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String read(Path file) {
        try {
            return Files.readString(file, UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
