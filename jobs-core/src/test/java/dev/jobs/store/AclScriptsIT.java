package dev.jobs.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.testing.DocumentedAcl;
import dev.jobs.testing.LuaCommands;
import dev.jobs.testing.Modules;
import dev.jobs.testing.RedisFixture;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** The commands of the user in docs/servers.md are those that the library needs. */
class AclScriptsIT {

    @AutoClose
    private static final RedisFixture redis = RedisFixture.start();

    private static final Pattern IN_CLIENTS = Pattern.compile("\\bcommands\\s*\\.([a-z]+)");

    /** How a connection begins and ends, and what clients have other names for. */
    private static final Set<String> OF_CONNECTIONS = Set.of("auth", "hello", "ping", "client|setname");

    private static final Set<String> WITH_OTHER_NAMES = Set.of("client|tracking", "wait");

    private final DocumentedAcl acl = DocumentedAcl.read();

    @Test
    void everyScriptRuns() {
        acl.create(redis);
        AllScripts.run(new ScriptTestBed(redis, redis.connections(acl)), () -> {});

        assertThat(acl.denied(redis)).isEmpty();
    }

    @Test
    void noCommandIsMissingOrNeedless() throws IOException {
        Set<String> inScripts = new TreeSet<>();
        for (String script : texts(".lua")) {
            inScripts.addAll(LuaCommands.in(script, redis));
        }
        Set<String> inClients = new TreeSet<>();
        for (String source : texts(".java")) {
            IN_CLIENTS.matcher(source).results().map(AclScriptsIT::name).forEach(inClients::add);
        }
        Set<String> needed = new TreeSet<>(inScripts);
        needed.addAll(inClients);
        needed.addAll(OF_CONNECTIONS);
        needed.addAll(WITH_OTHER_NAMES);

        assertThat(acl.commands()).containsAll(inScripts).doesNotHaveDuplicates();
        assertThat(needed).containsAll(acl.commands());
    }

    private static String name(MatchResult found) {
        return found.group(1).toLowerCase(Locale.ROOT);
    }

    /** Of every module. */
    private static List<String> texts(String end) throws IOException {
        List<String> texts = new ArrayList<>();
        for (Path file : Modules.files("src/main", end).toList()) {
            texts.add(Files.readString(file));
        }
        return texts;
    }
}
