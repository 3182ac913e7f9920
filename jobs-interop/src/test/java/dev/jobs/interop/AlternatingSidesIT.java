package dev.jobs.interop;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.Payload;
import dev.jobs.assembly.JobEngine;
import dev.jobs.interop.Turns.Side;
import java.io.IOException;
import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A job that fails on one side and then on the other: each side leaves the other's members unchanged. */
@NeedsSidekiq
class AlternatingSidesIT {

    private static final String QUEUE = "turns";

    /** The members that a failure or a move changes. */
    private static final List<String> CHANGING =
            List.of("enqueued_at", "error_class", "error_message", "retried_at", "retry_count", "past_attempts");

    @AutoClose
    private static final InteropTestBed bed = new InteropTestBed("turns");

    private static final RubyApi api = bed.api();

    private final Turns turns = new Turns(bed, api, queue -> bed.patientEngine(queue));

    @BeforeEach
    void empty() {
        bed.redis.del("queue:" + QUEUE, "retry", "dead");
    }

    @ParameterizedTest
    @EnumSource
    @Tag("sidekiq-3")
    @Tag("sidekiq-4")
    @Tag("sidekiq-8")
    @Tag("sidekiq-11.1")
    @Tag("sidekiq-11.6")
    @Tag("sidekiq-12")
    @Tag("sidekiq-30")
    void aJobFailsOnBothSidesInTurnAndDiesAndAllThatIsStrangeAboutItStays(Side first) {
        String jid = (String) Objects.requireNonNull(api.call("push", strange()));
        String pushed = bed.queued(QUEUE, jid).get(0);

        String failed = turns.take(first, QUEUE, jid, "retry");
        assertThat(failed)
                .as("the payload with the failure at its end")
                .startsWith(pushed.substring(0, pushed.length() - 1) + ",");
        assertThat(InteropTestBed.payload(failed).integer("retry_count")).isZero();

        turns.makeDue(first.other(), jid);
        String again = turns.take(first.other(), QUEUE, jid, "retry");
        Turns.assertSameBut(CHANGING, failed, again);
        assertThat(InteropTestBed.payload(again).integer("retry_count")).isOne();

        turns.makeDue(first, jid);
        String buried = turns.take(first, QUEUE, jid, "dead");
        Turns.assertSameBut(CHANGING, again, buried);
        Turns.assertSameBut(with(CHANGING, "failed_at"), pushed, buried);
        assertThat(InteropTestBed.payload(buried).integer("retry_count")).isEqualTo(2);
        assertThat(bed.in("retry", jid)).isEmpty();
        assertThat(bed.in("dead", jid)).hasSize(1);
    }

    private static List<String> with(List<String> members, String more) {
        return Stream.concat(members.stream(), Stream.of(more)).toList();
    }

    @ParameterizedTest
    @EnumSource
    @Tag("sidekiq-10")
    @Tag("sidekiq-31")
    void aJobThatOneSideDoesntKnowIsRetriedUntilTheOtherHasIt(Side knows) {
        String name = knows == Side.JAVA ? "Interop::JavaOnly" : "Interop::RubyOnly";
        String jid = Objects.requireNonNull(bed.client.queue(QUEUE).enqueue(name, "é😀"));
        Payload failed = InteropTestBed.payload(turns.take(knows.other(), QUEUE, jid, "retry"));
        assertThat(failed.text("error_class"))
                .isEqualTo(knows == Side.JAVA ? "NameError" : "dev.jobs.engine.UnknownJobException");
        turns.makeDue(knows, jid);
        if (knows == Side.JAVA) {
            JobEngine engine = bed.patientEngine(QUEUE);
            assertThat(bed.awaitPerformed(jid).what()).isEqualTo(List.of("é😀"));
            engine.stop();
        } else {
            try (RubyWorker worker = bed.rubyWorker("worker-" + knows, "-q", QUEUE, "-c", "1")) {
                assertThat(worker.awaitPerformed(jid)).isEqualTo(List.of("é😀"));
                worker.stop();
            }
        }
        assertThat(bed.in("retry", jid)).isEmpty();
    }

    @ParameterizedTest
    @EnumSource
    @Tag("sidekiq-10")
    @Tag("sidekiq-14")
    void jobsHandedBackByOneSideAreTakenNextByTheOther(Side stops) throws IOException {
        Path file = bed.file("may-end-" + stops);
        String jid = Objects.requireNonNull(bed.client.queue(QUEUE).enqueue("Interop::Wait", file.toString()));
        String stored = bed.queued(QUEUE, jid).get(0);
        String later = stopWhile(stops, jid);
        assertThat(bed.redis.lrange("queue:" + QUEUE, 0, -1))
                .as("what is taken next stands last")
                .hasSize(2)
                .endsWith(stored);
        Files.createFile(file);
        if (stops == Side.JAVA) {
            try (RubyWorker worker = bed.rubyWorker("taker", "-q", QUEUE, "-c", "1")) {
                worker.awaitPerformed(later);
                assertThat(worker.performed()).extracting(Payload::jid).containsExactly(jid, later);
                worker.stop();
            }
        } else {
            JobEngine engine = bed.engine(QUEUE);
            bed.awaitPerformed(jid);
            bed.awaitPerformed(later);
            engine.stop();
        }
    }

    /** Stops a worker that runs a job while another one waits. Returns the id of the other one. */
    private static String stopWhile(Side side, String jid) {
        if (side == Side.JAVA) {
            JobEngine engine = bed.engine(QUEUE);
            InteropTestBed.await("Java to run " + jid, () -> engine.health().busy() == 1);
            engine.quiet(); // it has free threads
            String waiting = bed.client.queue(QUEUE).enqueue("Interop::Note", 1);
            engine.stop();
            return Objects.requireNonNull(waiting);
        }
        try (RubyWorker worker = bed.rubyWorker("stopping", "-q", QUEUE, "-c", "1")) {
            InteropTestBed.await(
                    "Ruby to run " + jid, () -> bed.queued(QUEUE, jid).isEmpty());
            String waiting = bed.client.queue(QUEUE).enqueue("Interop::Note", 1);
            worker.stop();
            return Objects.requireNonNull(waiting);
        }
    }

    /** Members in no particular order, many of them unknown. */
    private static Map<String, Object> strange() {
        Map<String, Object> inner = new LinkedHashMap<>();
        inner.put("zulu", Arrays.asList(1L, 1.0, null, "漢字", Map.of("", List.of())));
        inner.put("alpha", new BigInteger("-98765432109876543210987654321"));
        Map<String, Object> payload = new LinkedHashMap<>();
        payload.put("zebra", inner);
        payload.put("args", List.of(List.of(10_000_000.0, 1_795_237_951.496519, 0.0001, "é😀 \u2028 </script>")));
        payload.put("count", 1.0);
        payload.put("", "no name");
        payload.put("class", "Interop::Fail");
        payload.put("bid", "Kz2PxY_-abc123");
        payload.put("cattr", Map.of("user", List.of(1L, Map.of("_aj_globalid", "gid://app/User/1"))));
        payload.put("é\"\\ \u0001", "\b\f\n\r\t\u001f\u007f/");
        payload.put("huge", new BigInteger("12345678901234567890123456789"));
        payload.put("nothing", null);
        payload.put("queue", QUEUE);
        payload.put("retry", 2L);
        payload.put("tags", List.of("odd"));
        payload.put("apple", false);
        return payload;
    }
}
