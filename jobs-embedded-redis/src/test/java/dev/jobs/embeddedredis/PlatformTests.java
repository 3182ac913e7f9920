package dev.jobs.embeddedredis;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PlatformTests {

    @ParameterizedTest
    @CsvSource({
        "Linux, amd64, linux, amd64, true",
        "Linux, x86_64, linux, amd64, true",
        "Linux, aarch64, linux, arm64, true",
        "Linux, i386, linux, 386, true",
        "Linux, riscv64, linux, riscv64, true",
        "Mac OS X, aarch64, darwin, arm64, true",
        "Mac OS X, x86_64, darwin, amd64, true",
        "FreeBSD, amd64, FreeBSD, amd64, true",
        "Windows 11, amd64, Windows 11, amd64, false"
    })
    void usesThePlatformNamesOfTheBundledPrograms(
            String os, String arch, String system, String processor, boolean posix) {
        Platform platform = Platform.of(os, arch);

        assertThat(platform).isEqualTo(new Platform(system, processor));
        assertThat(platform.isPosix()).isEqualTo(posix);
    }

    @ParameterizedTest
    @CsvSource({"Linux, amd64", "Linux, aarch64", "Linux, i386", "Mac OS X, aarch64", "Mac OS X, x86_64"})
    void isOneThatAProgramIsBundledFor(String os, String arch) {
        assertThat(BundledBinary.forPlatform(Platform.of(os, arch))).isPresent();
    }
}
