package dev.jobs.encryption;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jobs.Job;
import dev.jobs.JobDefinitionException;
import dev.jobs.JobRegistry;
import dev.jobs.versions.JobContract;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

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
