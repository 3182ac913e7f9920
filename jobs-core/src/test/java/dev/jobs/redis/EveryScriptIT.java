package dev.jobs.redis;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.testing.RedisFixture;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.Socket;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Properties of all scripts. */
class EveryScriptIT {

    private static final Pattern ARGUMENT = Pattern.compile("\"((?:[^\"\\\\]|\\\\.)*)\"");

    @AutoClose
    static final RedisFixture redis = RedisFixture.start();

    @BeforeEach
    void empty() {
        redis.flush();
    }

    @Test
    @Tag("sidekiq-1")
    @Tag("sidekiq-8")
    void worksThoughTheServerForgetsItAgainAndAgain() {
        AllScripts.run(new ScriptTestBed(redis, redis.connections("")), () -> redis.texts()
                .scriptFlush());
    }

    @Test
    void writesNoKeyWithoutThePrefix() {
        AllScripts.run(new ScriptTestBed(redis, redis.connections("{shop}:")), () -> {});

        assertThat(redis.texts().keys("*")).isNotEmpty().allSatisfy(key -> assertThat(key)
                .startsWith("{shop}:"));
    }

    /** According to the server's own monitor, which reports every command, including those inside scripts. */
    @Test
    @Tag("sidekiq-2")
    void touchesOnlyKeysThatItDeclares() throws IOException {
        List<List<String>> commands = new ArrayList<>();
        List<String> sources = new ArrayList<>();
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), redis.port());
                BufferedReader told = new BufferedReader(new InputStreamReader(socket.getInputStream(), ISO_8859_1))) {
            socket.getOutputStream().write("MONITOR\r\n".getBytes(ISO_8859_1));
            assertThat(told.readLine()).isEqualTo("+OK");
            AllScripts.run(new ScriptTestBed(redis, redis.connections("")), () -> {});
            redis.texts().echo("the end");
            for (String line = told.readLine(); !line.endsWith("\"ECHO\" \"the end\""); line = told.readLine()) {
                List<String> command = new ArrayList<>();
                for (Matcher matcher = ARGUMENT.matcher(line); matcher.find(); ) {
                    command.add(matcher.group(1));
                }
                commands.add(command);
                sources.add(line.contains(" lua] ") ? "script" : "client");
            }
        }
        Set<String> digests = new HashSet<>();
        Set<String> declared = Set.of();
        int checked = 0;
        for (int i = 0; i < commands.size(); i++) {
            List<String> command = commands.get(i);
            String name = command.get(0).toUpperCase();
            if (sources.get(i).equals("client") && (name.equals("EVALSHA") || name.equals("EVAL"))) {
                declared = new HashSet<>(command.subList(3, 3 + Integer.parseInt(command.get(2))));
                digests.add(command.get(1));
            } else if (sources.get(i).equals("script") && !name.equals("TIME")) {
                assertThat(declared).as("%s", command).contains(command.get(1));
                checked++;
            }
        }
        assertThat(checked).isGreaterThan(300);
        assertThat(digests)
                .containsAll(
                        Arrays.stream(LuaScript.values()).map(LuaScript::digest).collect(Collectors.toSet()));
    }
}
