package dev.jobs.embeddedredis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RedisBinaryTests {

    @TempDir
    Path directory;

    @Test
    void anInstalledServerIsPreferred() throws IOException {
        Path installed = program("redis-server", "Redis server v=7.2.4 sha=00000000:0 malloc=jemalloc-5.3.0 bits=64");

        assertThat(find("Linux", "amd64", directory))
                .isEqualTo(new RedisBinary(installed, "from the PATH"))
                .hasToString(installed + " (from the PATH)");
    }

    @Test
    void anInstalledValkeyWillDo() throws IOException {
        Path installed = program("valkey-server", "Valkey server v=8.0.1 sha=00000000:0 malloc=jemalloc-5.3.0 bits=64");

        assertThat(find("Linux", "amd64", directory).program()).isEqualTo(installed);
    }

    @Test
    void anInstalledServerThatIsTooOldIsPassedOver() throws IOException {
        program("redis-server", "Redis server v=6.0.16 sha=00000000:0 malloc=jemalloc-5.2.1 bits=64");

        assertThat(find("Linux", "amd64", directory).origin()).isEqualTo("bundled");
    }

    @Test
    void anInstalledServerThatCannotBeRunIsPassedOver() throws IOException {
        Path broken = program("redis-server", "");
        Files.writeString(broken, "\u0000 this is no program");

        assertThat(find("Linux", "amd64", directory).origin()).isEqualTo("bundled");
    }

    @Test
    void windowsHasNone() {
        assertThatExceptionOfType(UnsupportedPlatformException.class)
                .isThrownBy(() -> find("Windows 11", "amd64", directory))
                .withMessage("An embedded Redis cannot run on Windows 11 on amd64: "
                        + "it needs a POSIX shell, on Linux or macOS");
    }

    @Test
    void aRareProcessorNeedsAnInstalledServer() {
        assertThatExceptionOfType(UnsupportedPlatformException.class)
                .isThrownBy(() -> find("Linux", "riscv64", directory))
                .withMessage("There is no Redis to embed on linux on riscv64: the PATH has no redis-server or "
                        + "valkey-server of version 6.2 or later, and no server is bundled for this platform");
    }

    @Test
    void theBundledServerIsUnpackedOnce() throws IOException {
        Path program = bundled().unpackTo(directory).program();
        FileTime longAgo = FileTime.from(Instant.EPOCH);
        Files.setLastModifiedTime(program, longAgo);

        assertThat(bundled().unpackTo(directory).program()).isEqualTo(program);

        assertThat(Files.getLastModifiedTime(program)).isEqualTo(longAgo);
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(program)))
                .isEqualTo("rwx------");
    }

    @Test
    void aDamagedCopyIsReplaced() throws IOException {
        Path program = bundled().unpackTo(directory).program();
        long size = Files.size(program);
        Files.writeString(program, "cut short");

        bundled().unpackTo(directory);

        assertThat(program).hasSize(size);
    }

    @Test
    void manyMayUnpackAtOnce() throws IOException {
        List<CompletableFuture<Path>> unpacking = Stream.generate(() -> CompletableFuture.supplyAsync(this::unpack))
                .limit(4)
                .toList();

        assertThat(unpacking)
                .map(CompletableFuture::join)
                .containsOnly(bundled().unpackTo(directory).program());
        assertThat(directory).isDirectoryNotContaining("glob:**.part");
    }

    private Path unpack() {
        try {
            return bundled().unpackTo(directory).program();
        } catch (IOException ex) {
            throw new AssertionError(ex);
        }
    }

    private static BundledBinary bundled() {
        return BundledBinary.forPlatform(Platform.of("Linux", "amd64")).orElseThrow();
    }

    private static RedisBinary find(String os, String arch, Path path) {
        return RedisBinary.find(Platform.of(os, arch), new SearchPath(path.toString()));
    }

    private Path program(String name, String version) throws IOException {
        Path program = Files.writeString(directory.resolve(name), "#!/bin/sh\necho '" + version + "'\n");
        return Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwx------"));
    }
}
