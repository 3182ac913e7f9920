package dev.jobs.interop;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.Payload;
import dev.jobs.interop.JavaJobs.Invoice;
import dev.jobs.interop.JavaJobs.Typed;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Instant;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Jobs enqueued on one side arrive unchanged on the other. */
@NeedsSidekiq
class ArgumentsIT {

    @AutoClose
    private static final InteropTestBed bed = new InteropTestBed("arguments");

    private static final RubyApi api = bed.api();
    private static final RubyWorker ruby = bed.rubyWorker("worker", "-q", "ruby", "-c", "2");

    @BeforeAll
    static void start() {
        bed.engine("java");
    }

    @Test
    @Tag("sidekiq-3")
    @Tag("sidekiq-4")
    @Tag("sidekiq-7.1")
    void everyKindOfValueReachesJavaAsRubyHasIt() {
        Map<String, String> jids = new HashMap<>();
        Values.names().forEach(name -> jids.put(name, (String) api.call("push_value", "java", name)));
        jids.forEach((name, jid) ->
                assertThat(bed.awaitPerformed(jid).what()).as(name).isEqualTo("as expected"));
    }

    @Test
    @Tag("sidekiq-3")
    @Tag("sidekiq-4")
    @Tag("sidekiq-7.1")
    void everyKindOfValueReachesRubyAsJavaHasIt() {
        Map<String, String> jids = new HashMap<>();
        Values.names()
                .forEach(name ->
                        jids.put(name, bed.elsewhere.queue("ruby").enqueue("Interop::Value", name, Values.get(name))));
        jids.forEach(
                (name, jid) -> assertThat(ruby.awaitPerformed(jid)).as(name).isEqualTo("as expected"));
    }

    @Test
    @Tag("sidekiq-3")
    void bothSidesWriteTheSameTextOfEveryValue() {
        for (String name : Values.names()) {
            String ours = bed.elsewhere.queue("nobody").enqueue("Interop::Value", name, Values.get(name));
            String theirs = (String) api.call("push_value", "nobody", name);
            assertThat(storedArguments(ours)).as(name).isEqualTo(storedArguments(theirs));
        }
    }

    private static String storedArguments(String jid) {
        return new String(
                InteropTestBed.payload(bed.queued("nobody", jid).get(0)).rawArgs(), UTF_8);
    }

    @Test
    @Tag("sidekiq-4")
    @Tag("sidekiq-7.1")
    void bothSidesStoreTheSameMembersInTheSameOrder() {
        Map<String, Object> payload = new LinkedHashMap<>();
        payload.put("class", "Interop::Note");
        payload.put("args", List.of(1));
        payload.put("queue", "members");
        String theirs = (String) api.call("push", payload);
        String ours = bed.client.queue("members").enqueue("Interop::Note", 1);
        Payload java = InteropTestBed.payload(bed.queued("members", ours).get(0));
        Payload rubys = InteropTestBed.payload(bed.queued("members", theirs).get(0));
        assertThat(java.names()).containsExactlyInAnyOrderElementsOf(rubys.names());
        if (bed.ruby.isAtLeast(8)) {
            assertThat(java.names()).containsExactlyElementsOf(rubys.names());
            assertThat(rubys.integer("created_at")).isNotNull(); // milliseconds, as ours
        }
        assertThat(java.get("retry")).isEqualTo(rubys.get("retry"));
        assertThat(ours).hasSameSizeAs(theirs).matches("[0-9a-f]{24}");
    }

    @Test
    @Tag("sidekiq-4")
    @Tag("sidekiq-7.1")
    void argumentsFromRubyAreBoundToTypedParameters() {
        Map<String, Object> invoice = new HashMap<>();
        invoice.put("number", 4_711);
        invoice.put("amount", "19.90");
        invoice.put("lines", List.of("é", "😀"));
        invoice.put("remark", null);
        invoice.put("due", "2026-11-21T05:21:11Z");
        BigInteger huge = new BigInteger("12345678901234567890123456789");
        List<Object> arguments = List.of(-7, Long.MAX_VALUE, huge, 10_000_000.0, true, "漢字", Map.of("a", 1), invoice);
        Object jid = api.call("push", Map.of("class", "Interop::Typed", "queue", "java", "args", arguments));
        assertThat(bed.awaitPerformed((String) jid).what())
                .isEqualTo(new Typed(
                        -7,
                        Long.MAX_VALUE,
                        huge,
                        10_000_000.0,
                        true,
                        "漢字",
                        Map.of("a", 1),
                        new Invoice(
                                4_711,
                                new BigDecimal("19.90"),
                                List.of("é", "😀"),
                                null,
                                Instant.parse("2026-11-21T05:21:11Z"))));
    }

    @Test
    @Tag("sidekiq-4")
    void typesThatOnlyJavaHasReachRubyAsJson() {
        Invoice invoice =
                new Invoice(4_711, new BigDecimal("19.90"), List.of("é"), null, Instant.parse("2026-11-21T05:21:11Z"));
        String jid = bed.elsewhere.queue("ruby").enqueue("Interop::Note", List.of(invoice, (short) 3, 'x'));
        List<?> arguments = (List<?>) ((List<?>) ruby.awaitPerformed(jid)).get(0);
        Map<?, ?> received = (Map<?, ?>) arguments.get(0);
        assertThat(received.get("number")).isEqualTo(4_711L);
        assertThat(received.get("amount")).hasToString("19.90");
        assertThat(received.get("lines")).isEqualTo(List.of("é"));
        assertThat(received.get("due")).isEqualTo("2026-11-21T05:21:11Z");
        assertThat(arguments.subList(1, 3)).isEqualTo(List.of(3L, "x"));
    }

    @Test
    @Tag("sidekiq-7.2")
    void aBulkFromRubyIsWorkedOffByJava() {
        List<List<Integer>> arguments =
                IntStream.range(0, 1_500).mapToObj(List::of).toList();
        List<?> jids = (List<?>) api.call("push_bulk", "java", "Interop::Note", arguments);
        assertThat(jids).hasSize(1_500).doesNotHaveDuplicates();
        for (int i = 0; i < 1_500; i++) {
            assertThat(bed.awaitPerformed((String) jids.get(i)).what()).isEqualTo(List.of((long) i));
        }
    }

    @Test
    @Tag("sidekiq-7.2")
    void aBulkFromJavaIsWorkedOffByRuby() {
        List<List<Integer>> arguments =
                IntStream.range(0, 1_500).mapToObj(List::of).toList();
        List<String> jids = bed.client.queue("ruby").enqueueAll("Interop::Note", arguments);
        assertThat(jids).hasSize(1_500).doesNotHaveDuplicates();
        ruby.awaitPerformed(jids.get(1_499));
        for (int i = 0; i < 1_500; i += 100) {
            assertThat(ruby.awaitPerformed(jids.get(i))).isEqualTo(List.of((long) i));
        }
    }
}
