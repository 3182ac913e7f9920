package dev.jobs.store;

import static java.util.stream.Collectors.toCollection;
import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.JobRule;
import dev.jobs.JobRules;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** A script is a file in the folder of its room, and a constant there. */
class ScriptsTests {

    private static final Path FILES = Path.of("src/main/resources");

    @Test
    void everyFileIsDeclaredInItsRoom() {
        SortedSet<String> declared = Scripts.all().values().stream()
                .map(each -> each.room() + "/" + each.script())
                .collect(toCollection(TreeSet::new));

        assertThat(declared)
                .isEqualTo(files().filter(file -> !file.matches(".*/(shared|effect|check|gate)_\\w+"))
                        .collect(toCollection(TreeSet::new)));
    }

    @Test
    void everyKindIsListed() throws IOException {
        List<String> listed = new ArrayList<>();
        for (JobRule rule : JobRules.all()) {
            String folder = rule.getClass().getPackageName().replace('.', '/');
            rule.lua().forEach(line -> listed.add(folder + "/" + line.split(" ")[0]));
        }
        for (Path module : Scripts.MODULES) {
            Path list = module.resolve(FILES).resolve("dev/jobs/redis/parts.txt");
            if (Files.exists(list)) {
                Files.readAllLines(list).forEach(line -> listed.add(line.split(" ")[0]));
            }
        }

        assertThat(listed)
                .containsAll(files().filter(file -> file.matches(".*/(effect|check|gate)_\\w+"))
                        .toList());
    }

    /** Each with its folder and without its ending. */
    private static Stream<String> files() {
        return Scripts.MODULES.stream().map(module -> module.resolve(FILES)).flatMap(folder -> Scripts.files(
                        folder, ".lua")
                .map(file -> folder.relativize(file).toString().replace(".lua", "")));
    }
}
