package dev.jobs.benchmarks.harness;

import dev.jobs.benchmarks.driver.RedisServer;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/**
 * What the measurements ran on.
 *
 * @param commit of the working copy, with {@code -dirty} if it has changes; empty without git
 */
record Machine(String java, String redis, int processors, String system, String commit) {

    static Machine of(RedisServer server, Path home) {
        String redis = server.ask("INFO server")
                .lines()
                .filter(line -> line.startsWith("redis_version:"))
                .findFirst()
                .map(line -> line.substring(line.indexOf(':') + 1))
                .orElse("");
        return new Machine(
                Runtime.version().toString(),
                redis,
                Runtime.getRuntime().availableProcessors(),
                System.getProperty("os.name") + " " + System.getProperty("os.version"),
                commit(home));
    }

    private static String commit(Path folder) {
        try {
            Process git = new ProcessBuilder("git", "describe", "--always", "--dirty", "--abbrev=40", "--exclude=*")
                    .directory(folder.toFile())
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            return new String(git.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
        } catch (IOException e) {
            return "";
        }
    }

    @Override
    public String toString() {
        return "Java " + java + ", Redis " + redis + ", " + processors + " processors, " + system
                + (commit.isEmpty() ? "" : ", commit " + commit);
    }
}
