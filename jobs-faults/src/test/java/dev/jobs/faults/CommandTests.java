package dev.jobs.faults;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.redis.ScriptNames;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CommandTests {

    private static Command command(String frame) {
        return Command.parse(frame.getBytes(ISO_8859_1));
    }

    @Test
    void anArrayOfStringsIsACommand() {
        Command command = command("*4\r\n$7\r\nevalsha\r\n$1\r\na\r\n$1\r\n0\r\n$3\r\n\r\n7\r\n");

        assertThat(command.name()).isEqualTo("EVALSHA");
        assertThat(command.argument(1)).isEqualTo("\r\n7");
        assertThat(command.script()).isEmpty();
    }

    @Test
    void eachScriptIsKnownByItsDigest() {
        assertThat(ScriptNames.byDigest()).hasSizeGreaterThan(70);
        ScriptNames.byDigest()
                .forEach((digest, name) -> assertThat(command("*2\r\n$7\r\nevalsha\r\n$40\r\n" + digest + "\r\n")
                                .runs(name))
                        .isTrue());
    }

    /** A test that starts a server elsewhere probes that server's port, which may be ours for a moment. */
    @ParameterizedTest
    @ValueSource(strings = {"PING\r\n", "  ping   now \r\n", "info server\n", "\r\n", "*0\r\n"})
    void aLineIsACommandToo(String line) {
        Command command = command(line);

        assertThat(command.name()).isIn("PING", "INFO", "");
        assertThat(command.settles()).isFalse();
        assertThat(command.claims()).isFalse();
    }
}
