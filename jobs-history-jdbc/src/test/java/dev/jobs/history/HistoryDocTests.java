package dev.jobs.history;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.core.io.ByteArrayResource;

/** The snippets of docs/history.md are valid. */
class HistoryDocTests {

    /** All in one line, so that the compiler's line numbers match those of the snippet. */
    private static final String IMPORTS =
            "package shown; import dev.jobs.*; import dev.jobs.batches.*; import dev.jobs.history.*;"
                    + " import java.util.*; import org.springframework.stereotype.*; ";

    @TempDir
    private Path directory;

    private static List<String> blocks(String language) throws IOException {
        return Pattern.compile("^```" + language + "\\n(.*?)^```$", Pattern.MULTILINE | Pattern.DOTALL)
                .matcher(Files.readString(Path.of("..", "docs", "history.md")))
                .results()
                .map(MatchResult::group)
                .map(block -> block.substring(block.indexOf('\n') + 1, block.lastIndexOf("```")))
                .toList();
    }

    @Test
    void javaCompiles() throws IOException {
        List<JavaFileObject> sources =
                blocks("java").stream().map(HistoryDocTests::source).toList();
        DiagnosticCollector<JavaFileObject> problems = new DiagnosticCollector<>();

        Boolean compiled = ToolProvider.getSystemJavaCompiler()
                .getTask(null, null, problems, List.of("-proc:none", "-d", directory.toString()), null, sources)
                .call();

        assertThat(sources).isNotEmpty();
        assertThat(compiled).as("%s", problems.getDiagnostics()).isTrue();
    }

    private static JavaFileObject source(String code) {
        return new SimpleJavaFileObject(URI.create("string:///Shown.java"), JavaFileObject.Kind.SOURCE) {
            @Override
            public CharSequence getCharContent(boolean ignoreErrors) {
                return IMPORTS + code;
            }
        };
    }

    @Test
    void yamlIsAccepted() throws IOException {
        List<String> blocks = blocks("yaml");
        assertThat(blocks).hasSize(1);
        HistoryProperties properties = new Binder(ConfigurationPropertySources.from(new YamlPropertySourceLoader()
                        .load("page", new ByteArrayResource(blocks.get(0).getBytes(StandardCharsets.UTF_8)))))
                .bindOrCreate("jobs.history", HistoryProperties.class);
        assertThat(properties.jobs()).containsExactly("Invoices.*", "send-reminder");
        assertThat(properties.queues()).containsExactly("payments");
    }
}
