package dev.jobs.store;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.testing.RedisFixture;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.Socket;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Properties of all scripts. */
class EveryScriptIT {

    /** What the names of the places of jobs in queues begin with. */
    private static final List<String> QUEUES = List.of("queue:", "jobs:order:");

    private static final Pattern ARGUMENT = Pattern.compile("\"((?:[^\"\\\\]|\\\\.)*)\"");

    @AutoClose
    @RegisterExtension
    static final RedisFixture redis = RedisFixture.start();

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
        int checked = 0;
        Set<String> digests = new HashSet<>();
        for (Run run : allRuns()) {
            digests.add(run.digest());
            for (List<String> command : run.commands()) {
                if (!command.get(0).equals("TIME")) {
                    assertThat(run.keys()).as("%s", command).contains(command.get(1));
                    checked++;
                }
            }
        }
        assertThat(checked).isGreaterThan(300);
        assertThat(digests)
                .containsAll(Scripts.names().stream().map(Scripts::digest).collect(Collectors.toSet()));
    }

    /** A job in a queue that nobody lists would be seen by nobody. What a push does is a matter of its own test. */
    @Test
    void listsEachQueueToWhichItMovesAJob() throws IOException {
        Set<String> pushes = Set.of(StoreScripts.PUSH.digest(), StoreScripts.PUSH_SORTED.digest());
        Set<String> movers = new TreeSet<>();
        for (Run run : allRuns()) {
            Set<String> filled = new TreeSet<>();
            Set<String> listed = new TreeSet<>();
            for (List<String> command : run.commands()) {
                String key = command.size() > 1 ? command.get(1) : "";
                switch (command.get(0)) {
                    case "LPUSH", "RPUSH", "LINSERT", "ZADD" ->
                        QUEUES.stream()
                                .filter(key::startsWith)
                                .forEach(prefix -> filled.add(key.substring(prefix.length())));
                    case "SADD" -> {
                        if (key.equals("queues")) {
                            listed.addAll(command.subList(2, command.size()));
                        }
                    }
                    default -> {}
                }
            }
            if (!pushes.contains(run.digest())) {
                assertThat(listed).as("queues listed by %s", run.commands()).containsAll(filled);
                if (!filled.isEmpty()) {
                    movers.add(run.digest());
                }
            }
        }
        assertThat(movers).hasSizeGreaterThanOrEqualTo(11);
    }

    /** A run of a script: the keys that it declares, and the commands that it executes. */
    private record Run(String digest, Set<String> keys, List<List<String>> commands) {}

    private static List<Run> allRuns() throws IOException {
        List<Run> runs = new ArrayList<>();
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
                command.set(0, command.get(0).toUpperCase(Locale.ROOT));
                if (line.contains(" lua] ")) {
                    runs.get(runs.size() - 1).commands().add(command);
                } else if (command.get(0).startsWith("EVAL")) {
                    Set<String> keys = new HashSet<>(command.subList(3, 3 + Integer.parseInt(command.get(2))));
                    runs.add(new Run(command.get(1), keys, new ArrayList<>()));
                }
            }
        }
        return runs;
    }
}
