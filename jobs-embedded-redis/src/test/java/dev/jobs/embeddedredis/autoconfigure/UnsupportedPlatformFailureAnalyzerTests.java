package dev.jobs.embeddedredis.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;

import dev.jobs.embeddedredis.EmbeddedRedis;
import dev.jobs.embeddedredis.UnsupportedPlatforms;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.Banner;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

@ExtendWith(OutputCaptureExtension.class)
class UnsupportedPlatformFailureAnalyzerTests {

    @Test
    void anApplicationThatCannotHaveAnEmbeddedRedisSaysWhatToDo(CapturedOutput output) {
        assertThatException().isThrownBy(() -> new SpringApplicationBuilder(OnWindows.class)
                .bannerMode(Banner.Mode.OFF)
                .run());

        assertThat(output)
                .contains("An embedded Redis was to be started. "
                        + "An embedded Redis cannot run on Windows 11 on amd64: "
                        + "it needs a POSIX shell, on Linux or macOS.")
                .contains("spring.data.redis.url=redis://localhost:6379")
                .contains("ownRedis = false");
    }

    @Configuration(proxyBeanMethods = false)
    static class OnWindows {

        @Bean
        EmbeddedRedis embeddedRedis() {
            throw UnsupportedPlatforms.windows();
        }
    }
}
