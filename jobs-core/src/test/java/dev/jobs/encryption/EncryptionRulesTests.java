package dev.jobs.encryption;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jobs.InvalidJobException;
import dev.jobs.Job;
import dev.jobs.JobDefinitionException;
import dev.jobs.JobRegistry;
import dev.jobs.Payload;
import dev.jobs.limits.Limit;
import dev.jobs.versions.JobContract;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class EncryptionRulesTests {

    static final class Open {

        @Job("Pay")
        void pay(String iban) {}
    }

    static final class Closed {

        @Job("Pay")
        @Encrypted
        void pay(String iban) {}
    }

    static final class NoJob {

        @Encrypted
        void pay(String iban) {}
    }

    /** It is no break: waiting jobs of both forms can run. */
    @Test
    void theContractTellsOfJobsThatBecomeEncryptedOrStop(@TempDir Path folder) throws IOException {
        JobContract open = JobContract.of(JobRegistry.of(new Open()));
        JobContract closed = JobContract.of(JobRegistry.of(new Closed()));
        Path before = Files.writeString(folder.resolve("open"), open.text());
        Path after = Files.writeString(folder.resolve("closed"), closed.text());

        closed.assertCompatibleWith(before);
        open.assertCompatibleWith(after);
        assertThat(closed.changesSince(before))
                .singleElement()
                .asString()
                .startsWith("Pay: the arguments are encrypted now.");
        assertThat(open.changesSince(after))
                .singleElement()
                .asString()
                .startsWith("Pay: the arguments are not encrypted any more.");
        assertThat(closed.changesSince(after)).isEmpty();
    }

    static final class Keyed {

        @Job(value = "Turn", key = "{iban}", aliases = "Former")
        void turn(String iban) {}

        @Job("Limited")
        @Limit(name = "bank", key = "{0}", concurrency = 1)
        void limited(String iban) {}

        @Job(value = "Fixed", key = "bank")
        @Limit(name = "bank", key = "all", concurrency = 1)
        void fixed(String iban) {}
    }

    private static Payload wanted(String name) {
        return Payload.of(Map.of("class", name, "jid", "a1", "args", List.of("DE02SECRET"), "encrypt", true));
    }

    /** Their keys would be made of the arguments, and stored as they are. */
    @ParameterizedTest
    @CsvSource({"Turn, its key", "Former, its key", "Limited, the key of its @Limit 'bank'"})
    void aCallOfAJobWhoseKeyNamesAnArgumentIsRefused(String name, String key) {
        JobRegistry jobs = JobRegistry.of(new Keyed())
                .withSeal(new JobEncryption(EncryptionKeys.of("a", Map.of("a", new byte[32]), null)));

        assertThatThrownBy(() -> jobs.sealed(wanted(name)))
                .isInstanceOf(InvalidJobException.class)
                .hasMessageContaining("job " + name + ": its arguments are to be encrypted, and " + key
                        + " names the parameter 'iban'")
                .hasMessageContaining("leave the argument out of the key")
                .hasMessageNotContaining("SECRET");
        assertThat(jobs.sealed(wanted("Fixed")).has("encrypted")).isTrue();
        assertThat(jobs.sealed(wanted("Elsewhere")).has("encrypted")).isTrue();
        Payload plain = wanted(name).without("encrypt");
        assertThat(jobs.sealed(plain)).isSameAs(plain);
    }

    @Test
    void theAnnotationAloneIsAnError() {
        assertThatThrownBy(() -> JobRegistry.of(new NoJob())).isInstanceOf(JobDefinitionException.class);
    }

    @Test
    void keysHaveTheirLengthAndTheActiveOneIsThere() {
        assertThatThrownBy(() -> EncryptionKeys.of("a", Map.of("a", new byte[16]), null))
                .hasMessage("A key must have 32 bytes but had 16");
        assertThatThrownBy(() -> EncryptionKeys.of("b", Map.of("a", new byte[32]), null))
                .hasMessageContaining("no key of the id 'b'");
        assertThatThrownBy(() -> EncryptionKeys.of("a", Map.of("a", new byte[32]), new byte[8]))
                .hasMessageContaining("16 bytes or more but had 8");
    }
}
