package dev.jobs.limits;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.proof.LongTest;
import dev.jobs.redis.Bytes;
import dev.jobs.store.ScriptTestBed;
import dev.jobs.store.Settlement;
import dev.jobs.store.Worker;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Permits that no job accounts for. */
class LostPermitsIT {

    @AutoClose
    static final ScriptTestBed bed = new ScriptTestBed();

    private final LostPermits lost = new LostPermits(bed.connection, bed.keys);
    private Worker worker;

    @BeforeEach
    void begin() {
        bed.clear();
        worker = bed.worker("one").join();
        bed.redis.texts().hset("jobs:limits", "d:big", "2");
    }

    private long walk() {
        lost.begin();
        long dropped = 0;
        while (!lost.isOver()) {
            dropped += lost.step();
        }
        return dropped;
    }

    private static void permit(String limit, String key, String process, String token) {
        bed.redis.texts().zadd("jobs:permits:" + limit, 0, key + "\n" + process + "\n" + token);
        bed.redis.texts().hset("jobs:permitted:" + process, token, limit + "\n" + key);
    }

    @Test
    void thatOfAHeldJobStays() {
        bed.push("mail", "job");
        permit("big", "k", "one", worker.takeOne("mail").token());

        assertThat(walk()).isZero();
        assertThat(bed.redis.texts().zcard("jobs:permits:big")).isEqualTo(1);
    }

    @Test
    void thatOfAJobThatHasEndedGoesAndTheNextOneMayGoOn() {
        bed.push("mail", "job");
        String token = worker.takeOne("mail").token();
        permit("big", "k", "one", token);
        worker.settle(Settlement.done(token));

        assertThat(walk()).isEqualTo(1);
        assertThat(bed.redis.texts().exists("jobs:permits:big", "jobs:permitted:one"))
                .isZero();
        assertThat(bed.members("jobs:wake")).containsExactly("big\nk");
        assertThat(walk()).isZero();
    }

    @Test
    void aFullQueueRings() {
        bed.redis.texts().hset("jobs:limits", "s:queue:mail", "1");
        permit("queue:mail", "", "one", "0:9:1:mail");

        assertThat(walk()).isEqualTo(1);
        assertThat(bed.redis.texts().exists(Bytes.text(new LimitKeys(bed.keys).bell("mail"))))
                .isEqualTo(1);
    }

    @LongTest
    @Test
    void allOfManyAreLookedAt() {
        bed.push("mail", "job");
        String token = worker.takeOne("mail").token();
        for (int i = 0; i < 350; i++) {
            permit("big", "k" + i, "one", i == 200 ? token : "0:9:" + i + ":mail");
        }
        bed.redis.texts().hset("jobs:limits", "s:none", "2");

        assertThat(walk()).isEqualTo(349);
        assertThat(bed.redis.texts().zcard("jobs:permits:big")).isEqualTo(1);
    }

    @Test
    void whatIsNoPermitIsLeftAlone() {
        bed.redis.texts().zadd("jobs:permits:big", 0, "nonsense");
        bed.redis.texts().hset("jobs:limits", "s:odd", "2");
        bed.redis.texts().set("jobs:permits:odd", "text");
        bed.redis.texts().set("jobs:in:two", "text");
        permit("big", "k", "two", "0:1:1:mail");

        assertThat(walk()).isZero();
        assertThat(List.of(bed.redis.texts().zcard("jobs:permits:big"))).containsExactly(2L);
    }
}
