package dev.jobs.spring.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.embeddedredis.EmbeddedRedis;
import dev.jobs.proof.LongTest;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Checkpoints by CRaC, after which several processes may begin with the same memory: one when Spring has made all beans
 * and started none, and one while jobs run.
 */
class CheckpointIT {

    @LongTest
    @Test
    void aRestoredProcessHasAnIdentityOfItsOwnAndNoCheckpointHoldsAConnection() throws Exception {
        try (EmbeddedRedis redis = EmbeddedRedis.start()) {
            Process jvm = new ProcessBuilder(
                            Path.of(System.getProperty("java.home"), "bin", "java")
                                    .toString(),
                            "-XX:TieredStopAtLevel=1",
                            "-Dorg.crac.Core.Compat=" + Core.class.getPackageName(),
                            "-Dspring.context.checkpoint=onRefresh",
                            "-D" + CheckpointedApplication.PORT + "=" + redis.port(),
                            "-classpath",
                            System.getProperty("java.class.path"),
                            CheckpointedApplication.class.getName())
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start();
            try {
                List<String> said = new String(jvm.getInputStream().readAllBytes(), StandardCharsets.UTF_8)
                        .lines()
                        .filter(each -> each.startsWith(CheckpointedApplication.SAYS))
                        .map(each -> each.substring(CheckpointedApplication.SAYS.length()))
                        .toList();

                assertThat(said).hasSize(6);
                assertThat(said.get(0)).isEqualTo("checkpoint with threads [], connections 0");
                assertThat(said.get(1)).isEqualTo("ran a job");
                assertThat(said.get(2)).endsWith(", push ids 1");
                assertThat(said.get(3)).isEqualTo("checkpoint with threads [], connections 0");
                assertThat(said.get(4)).isEqualTo("ran a job");
                assertThat(said.get(5)).endsWith(", push ids 2");
                assertThat(identity(said.get(5))).isNotEqualTo(identity(said.get(2)));
            } finally {
                jvm.destroyForcibly().onExit().join();
            }
        }
    }

    private static String identity(String line) {
        return line.split("[ ,]")[1];
    }
}
