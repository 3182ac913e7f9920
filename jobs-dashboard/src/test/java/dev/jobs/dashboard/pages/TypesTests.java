package dev.jobs.dashboard.pages;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The scripts agree with the types in their comments. The compiler that tells comes with {@code npm ci}; without it or
 * without Node the test is skipped.
 */
class TypesTests {

    private static final Path COMPILER = Path.of("node_modules", "typescript", "bin", "tsc");
    private static final Logger log = LoggerFactory.getLogger(TypesTests.class);

    @Test
    void theScriptsAgreeWithTheirTypes() throws IOException, InterruptedException {
        if (!Files.exists(COMPILER) || !isThere("node")) {
            log.warn("SKIPPED: types of the scripts; they need Node, and npm ci --prefix jobs-dashboard");
            Assumptions.abort("there is no Node, or npm ci --prefix jobs-dashboard was not run");
        }
        assertThat(errors()).isEmpty();
    }

    private static List<String> errors() throws IOException, InterruptedException {
        Process compiler = new ProcessBuilder("node", COMPILER.toString(), "--project", ".", "--pretty", "false")
                .redirectErrorStream(true)
                .start();
        String said = new String(compiler.getInputStream().readAllBytes(), UTF_8);
        int result = compiler.waitFor();
        assertThat(result).as(said).isIn(0, 1, 2);
        List<String> errors =
                said.lines().filter(line -> line.contains("error TS")).toList();
        // Libraries are not ours to mend; the compiler reads them for what our scripts take from them.
        assertThat(result == 0 || !errors.isEmpty()).as(said).isTrue();
        return errors.stream().filter(line -> !line.contains("/assets/vendor-")).toList();
    }

    private static boolean isThere(String program) {
        return Stream.of(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator))
                .map(folder -> new File(folder, program))
                .anyMatch(File::canExecute);
    }
}
