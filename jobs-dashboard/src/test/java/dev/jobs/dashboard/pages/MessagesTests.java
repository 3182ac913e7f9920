package dev.jobs.dashboard.pages;

import static java.util.stream.Collectors.toMap;
import static java.util.stream.Collectors.toSet;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.json.JsonMapper;

/** The texts of the pages: none is missing, none is unused. */
class MessagesTests {

    private static final Pattern PLACEHOLDER = Pattern.compile("\\{\\d}");
    private static final Pattern FORM = Pattern.compile("\\.(one|other)$");

    /** A key in a script: complete, or its beginning if data supply the rest. */
    private static final Pattern KEY = Pattern.compile("['`]([a-z]+(?:[.-][A-Za-z-]+)*)(['`?]|\\.\\$\\{)");

    private final Map<String, String> english = messages("en", Ui.folders());
    private final String scripts = scripts(Ui.folders());

    @ParameterizedTest
    @ValueSource(strings = {"de", "fr"})
    void everyLanguageHasAllTexts(String language) {
        Map<String, String> texts = messages(language, Ui.folders());
        assertThat(texts.keySet()).isEqualTo(english.keySet());
        texts.forEach((key, text) -> assertThat(placeholders(text)).as(key).isEqualTo(placeholders(english.get(key))));
        assertThat(texts.values()).noneMatch(String::isBlank);
    }

    /** A reader of screens lists them by their names. */
    @ParameterizedTest
    @ValueSource(strings = {"en", "de", "fr"})
    void theNavigationAndThePagesOfAListHaveDifferentNames(String language) {
        Map<String, String> texts = messages(language, Ui.folders());
        assertThat(texts.get("pager.label")).isNotNull().isNotEqualTo(texts.get("nav.pages"));
    }

    @Test
    void everyTextIsUsed() {
        assertThat(unused(english.keySet(), scripts)).isEmpty();
        List<Path> own = List.of(Ui.OWN);
        assertThat(unused(messages("en", own).keySet(), scripts(own)))
                .as("let these be texts of the module that uses them")
                .isEmpty();
    }

    /** Otherwise it belongs to another feature, or to what every page needs. */
    @Test
    void everyTextOfAFeatureIsUsedInItsScripts() throws IOException {
        for (Path folder : Ui.folders()) {
            try (var features = Files.newDirectoryStream(folder.resolve("messages"), Files::isDirectory)) {
                for (Path feature : features) {
                    String name = feature.getFileName().toString();
                    Set<String> texts = texts(feature.resolve("en.json")).keySet();
                    assertThat(unused(
                                    texts,
                                    scripts(List.of(folder.resolve("assets").resolve(name)))))
                            .as(name)
                            .allMatch(text -> text.startsWith("error.")); // every page shows errors
                    for (String language : List.of("de", "fr")) {
                        assertThat(texts(feature.resolve(language + ".json")).keySet())
                                .isEqualTo(texts);
                    }
                }
            }
        }
    }

    private static List<String> unused(Set<String> texts, String scripts) {
        Set<String> whole = new TreeSet<>();
        Set<String> beginnings = new TreeSet<>();
        Matcher key = KEY.matcher(scripts);
        while (key.find()) {
            (key.group(2).startsWith(".") ? beginnings : whole).add(key.group(1));
        }
        return texts.stream()
                .map(text -> FORM.matcher(text).replaceFirst(""))
                .filter(text -> !whole.contains(text))
                .filter(text -> beginnings.stream().noneMatch(beginning -> text.startsWith(beginning + ".")))
                .toList();
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

    /** As the pages get them: those of all features together. */
    private static Map<String, String> messages(String language, List<Path> folders) {
        Map<String, String> all = new TreeMap<>();
        Ui.files(folders).stream()
                .filter(file -> file.endsWith(language + ".json"))
                .forEach(file -> texts(file)
                        .forEach((key, text) ->
                                assertThat(all.put(key, text)).as(key).isNull()));
        return all;
    }

    private static Map<String, String> texts(Path file) {
        return new JsonMapper()
                .readTree(Ui.read(file)).properties().stream()
                        .collect(toMap(
                                Map.Entry::getKey, entry -> entry.getValue().stringValue()));
    }

    private static String scripts(List<Path> folders) {
        return Ui.files(folders).stream()
                .filter(file -> file.toString().endsWith(".js"))
                .filter(file -> !file.getFileName().toString().startsWith("vendor-"))
                .map(Ui::read)
                .reduce("", String::concat);
    }
}
