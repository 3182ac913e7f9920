package dev.jobs.modulith;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.core.io.ByteArrayResource;
import org.springframework.modulith.events.ExternalizationMode;

/** The snippets of docs/modulith.md are valid. */
class ModulithDocTests {

    /** All in one line, so that the compiler's line numbers match those of the snippet. */
    private static final String IMPORTS = "package shown; import dev.jobs.*; import org.slf4j.*;"
            + " import org.springframework.modulith.events.*; import org.springframework.stereotype.*; ";

    @TempDir
    private Path directory;

    private static String block(String language) throws IOException {
        return Pattern.compile("^```" + language + "\\n(.*?)^```$", Pattern.MULTILINE | Pattern.DOTALL)
                .matcher(Files.readString(Path.of("..", "docs", "modulith.md")))
                .results()
                .map(found -> found.group(1))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void javaCompiles() throws IOException {
        String code = IMPORTS + block("java");
        JavaFileObject source =
                new SimpleJavaFileObject(URI.create("string:///Shown.java"), JavaFileObject.Kind.SOURCE) {
                    @Override
                    public CharSequence getCharContent(boolean ignoreErrors) {
                        return code;
                    }
                };
        DiagnosticCollector<JavaFileObject> problems = new DiagnosticCollector<>();

        Boolean compiled = ToolProvider.getSystemJavaCompiler()
                .getTask(null, null, problems, List.of("-proc:none", "-d", directory.toString()), null, List.of(source))
                .call();

        assertThat(compiled).as("%s", problems.getDiagnostics()).isTrue();
    }

    @Test
    void yamlNamesTheMode() throws IOException {
        var properties = new YamlPropertySourceLoader()
                .load("page", new ByteArrayResource(block("yaml").getBytes(StandardCharsets.UTF_8)))
                .get(0);

        assertThat(properties.getProperty(ExternalizationMode.PROPERTY)).hasToString("outbox");
        assertThat(properties.getProperty("jobs.transactions")).hasToString("outbox");
    }
}
