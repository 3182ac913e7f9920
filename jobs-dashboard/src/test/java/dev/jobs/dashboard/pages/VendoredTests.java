package dev.jobs.dashboard.pages;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Scanners of dependencies read the libraries in the pages from package.json: what it says is what the pages have. */
class VendoredTests {

    private static final Path ASSETS = Path.of("src/main/resources/dev/jobs/dashboard/ui/assets");
    private static final Path NOTICE = Path.of("..", "NOTICE");
    private final JsonNode metadata = read("package.json");

    @Test
    void thePagesHaveExactlyTheFilesOfTheMetadata() throws IOException, NoSuchAlgorithmException {
        Map<String, String> digests = new TreeMap<>();
        try (Stream<Path> files = Files.list(ASSETS)) {
            for (Path file : files.filter(each -> each.getFileName().toString().startsWith("vendor-"))
                    .toList()) {
                byte[] digest = MessageDigest.getInstance("SHA-256").digest(Files.readAllBytes(file));
                digests.put(file.getFileName().toString(), HexFormat.of().formatHex(digest));
            }
        }
        Map<String, String> told = new TreeMap<>();
        metadata.path("vendored").forEachEntry((name, digest) -> told.put(name, digest.asString()));
        assertThat(digests).hasSizeGreaterThan(2).isEqualTo(told);
    }

    @ParameterizedTest
    @CsvSource({"preact, Preact", "htm, htm"})
    void theNoticeAndTheLockHaveTheSameVersions(String dependency, String name) throws IOException {
        String version = metadata.at("/dependencies/" + dependency).asString();
        JsonNode locked = read("package-lock.json").path("packages").path("node_modules/" + dependency);

        assertThat(version).matches("\\d+\\.\\d+\\.\\d+");
        assertThat(locked.path("version").asString()).isEqualTo(version);
        assertThat(Files.readString(NOTICE)).contains("* " + name + " " + version + " (vendor-");
    }

    /** Where npm has installed them. NOTICE says what differs. */
    @ParameterizedTest
    @NodeTest
    @CsvSource({
        "preact/dist/preact.mjs, vendor-preact.js",
        "preact/hooks/dist/hooks.mjs, vendor-hooks.js",
        "htm/dist/htm.module.js, vendor-htm.js"
    })
    void theFilesAreThoseOfTheReleases(String released, String file) throws IOException {
        Path original = Path.of("node_modules").resolve(released);
        List<String> lines = Files.readString(original)
                .replace("from\"preact\"", "from\"./vendor-preact.js\"")
                .lines()
                .filter(line -> !line.startsWith("//# sourceMappingURL="))
                .toList();

        assertThat(Files.readString(ASSETS.resolve(file)).lines()).containsExactlyElementsOf(lines);
    }

    private static JsonNode read(String file) {
        try {
            return JsonMapper.shared().readTree(Files.readString(Path.of(file), UTF_8));
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }
}
