package dev.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** One word, one thing: names of types, of all modules and of tests, use words as CONTRIBUTING's table says. */
class WordsTests {

    private static final Pattern TYPE =
            Pattern.compile("(?m)^[ \\w@-]*\\b(?:class|interface|record|enum) ([A-Z]\\w*)(?=[ <({]|$)");

    /** The types that may have a word in their names. */
    private static final Map<Pattern, Pattern> ALLOWED = Map.of(
            Pattern.compile("Place(?=s?([A-Z]|$))"),
                    Pattern.compile("Place|JobPlace|(OrderedQueue|Queue|All)Places(IT|Fixture)?"),
            Pattern.compile("Slot"), Pattern.compile("Slot|RecurringSlotsIT"),
            Pattern.compile("Limit"), Pattern.compile("(?!.*(Call|Set|Time|Size)Limit).*"),
            Pattern.compile("Manager|Helper|Util(s|ities)?$|Impl$"), Pattern.compile("none"));

    @Test
    void aWordInANameMeansOneThing() throws IOException {
        Map<String, String> wrong = new TreeMap<>();
        for (Path source : sources()) {
            TYPE.matcher(text(source))
                    .results()
                    .map(found -> found.group(1))
                    .filter(WordsTests::isWrong)
                    .forEach(name -> wrong.put(name, source.toString()));
        }

        assertThat(wrong).isEmpty();
    }

    private static boolean isWrong(String name) {
        return ALLOWED.entrySet().stream()
                .anyMatch(word -> word.getKey().matcher(name).find()
                        && !word.getValue().matcher(name).matches());
    }

    private static List<Path> sources() throws IOException {
        try (Stream<Path> modules = Files.list(Path.of(".."))) {
            return modules.map(module -> module.resolve("src"))
                    .filter(Files::isDirectory)
                    .flatMap(WordsTests::under)
                    .toList();
        }
    }

    private static Stream<Path> under(Path folder) {
        try (Stream<Path> all = Files.walk(folder)) {
            return all.filter(file -> file.toString().endsWith(".java")).toList().stream();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String text(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
