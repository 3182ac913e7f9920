package dev.jobs.limits;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.redis.Bytes;
import dev.jobs.store.ClaimGate;
import dev.jobs.store.JobClaims;
import dev.jobs.store.JobClaims.Reply;
import dev.jobs.store.ScriptTestBed;
import dev.jobs.store.Worker;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A claim that two features limit, in either order. */
class SeveralGatesIT {

    private static final ClaimGate LIMIT = new LimitedQueues(List.of(new QueueLimit("mail", 2)), 1_000);

    /** Shuts the queues mail and low while the keys {@code shut:…} exist, and counts their jobs in {@code count:…}. */
    private static final ClaimGate SHUT = (me, queues, keys, all, arguments) -> {
        arguments.addAll(List.of(Bytes.of("shut"), Bytes.of(all.size() + 1), Bytes.of(2)));
        for (String queue : List.of("mail", "low")) {
            arguments.add(Bytes.of(queues.indexOf(queue) + 1));
            all.addAll(List.of(keys.key("shut:" + queue), keys.key("count:" + queue)));
        }
    };

    @AutoClose
    static final ScriptTestBed bed = new ScriptTestBed();

    private Worker worker;
    private long number;

    @BeforeEach
    void join() {
        bed.clear();
        worker = bed.worker("p").join();
    }

    static Stream<ClaimGate> orders() {
        return Stream.of(LIMIT.and(SHUT), SHUT.and(LIMIT));
    }

    private Reply claim(ClaimGate gate) {
        number++;
        return worker.claims.exchange(
                new JobClaims.Request("p", 0, number, "m", 10, 1, List.of("mail", "low"), List.of(), gate));
    }

    @ParameterizedTest
    @MethodSource("orders")
    void bothLimitAClaim(ClaimGate both) {
        bed.push("mail", "a", "b", "c");
        bed.push("low", "x", "y");
        bed.redis.texts().set("shut:low", "1");

        Reply reply = claim(both);

        assertThat(Worker.payloads(reply.claimed())).containsExactly("a", "b");
        assertThat(reply.shut().full()).containsExactlyInAnyOrder("mail", "low");
        assertThat(bed.redis.texts().get("count:mail")).isEqualTo("2");
        assertThat(bed.members("jobs:permits:queue:mail")).hasSize(2);

        bed.redis.texts().del("shut:low");
        reply = claim(both);
        assertThat(Worker.payloads(reply.claimed())).containsExactly("x", "y");
        assertThat(reply.shut().full()).containsExactly("mail");
        assertThat(bed.redis.texts().get("count:low")).isEqualTo("2");
    }

    @ParameterizedTest
    @MethodSource("orders")
    void eitherShutsAQueue(ClaimGate both) {
        bed.push("mail", "a");
        bed.redis.texts().set("shut:mail", "1");

        Reply reply = claim(both);
        assertThat(reply.claimed()).isEmpty();
        assertThat(reply.shut().full()).containsExactly("mail");
        assertThat(bed.members("jobs:permits:queue:mail")).isEmpty();

        bed.redis.texts().del("shut:mail");
        assertThat(claim(both).claimed()).hasSize(1);
    }
}
