package dev.jobs.dashboard.pages;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * The scripts agree with the types in their comments. The compiler that tells comes with {@code npm ci}.
 */
class TypesTests {

    private static final Path COMPILER = Path.of("node_modules", "typescript", "bin", "tsc");

    @Test
    @NodeTest
    void theScriptsAgreeWithTheirTypes() throws IOException, InterruptedException {
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
}
