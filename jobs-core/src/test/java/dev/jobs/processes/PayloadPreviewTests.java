package dev.jobs.processes;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.Payload;
import java.util.List;
import org.junit.jupiter.api.Test;

class PayloadPreviewTests {

    private static final String LONG = "x".repeat(1_000_000);

    @Test
    void aSmallJobIsShownAsItIsStored() {
        byte[] stored = " {\"class\" : \"A\"}".getBytes(UTF_8);
        assertThat(PayloadPreview.of(stored)).isEqualTo(stored);
    }

    @Test
    void aLargeOneKeepsWhatReadersNeed() {
        String stored = "{\"retry\":true,\"queue\":\"mail\",\"class\":\"Import\",\"args\":[7,\"" + LONG
                + "\",{\"a\":1}],\"jid\":\"j1\",\"created_at\":1795237744000,\"enqueued_at\":1795237744001,\"error_backtrace\":\""
                + LONG + "\",\"retry_count\":3,\"é\":\"é\"}";
        byte[] shown = PayloadPreview.of(stored.getBytes(UTF_8));
        assertThat(shown.length).isLessThan(1_000);
        Payload payload = Payload.parse(shown);
        assertThat(payload.names())
                .containsExactlyInAnyOrder(
                        "cut_from",
                        "retry",
                        "queue",
                        "class",
                        "args",
                        "jid",
                        "created_at",
                        "enqueued_at",
                        "retry_count",
                        "é");
        assertThat(payload.integer("cut_from")).isEqualTo(stored.getBytes(UTF_8).length);
        assertThat(payload.name()).isEqualTo("Import");
        assertThat(payload.jid()).isEqualTo("j1");
        assertThat(payload.integer("created_at")).isEqualTo(1795237744000L);
        assertThat(payload.args()).hasSize(3).contains(7L, java.util.Map.of("a", 1L));
    }

    @Test
    void isNeverMuchLargerThanWhatIsShownAsItIs() {
        StringBuilder stored = new StringBuilder("{\"class\":\"" + "C".repeat(5_000) + "\",\"args\":[");
        for (int i = 0; i < 100_000; i++) {
            stored.append(i).append(',');
        }
        stored.append("0]");
        for (int i = 0; i < 10_000; i++) {
            stored.append(",\"member").append(i).append("\":").append(i);
        }
        byte[] shown = PayloadPreview.of(stored.append('}').toString().getBytes(UTF_8));
        assertThat(shown.length).isLessThan(PayloadPreview.WHOLE + 1_000);
        List<Object> args = Payload.parse(shown).args();
        assertThat(args).hasSizeGreaterThan(100).last().isEqualTo("…");
        assertThat(Payload.parse(shown).name()).startsWith("CCC").endsWith("…");
    }

    @Test
    void aMemberWhoseNameIsNoValidTextIsLeftOut() {
        String stored = "{\"class\":\"A\",\"half \\ud800\":1,\"args\":[\"" + "x".repeat(10_000) + "\"]}";
        assertThat(Payload.parse(PayloadPreview.of(stored.getBytes(UTF_8))).names())
                .containsExactly("cut_from", "class", "args");
    }
}
