package dev.jobs.ends;

import static dev.jobs.store.ScriptTestBed.bytes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jobs.JobStoreException;
import dev.jobs.store.ScriptTestBed;
import dev.jobs.store.Settlement;
import dev.jobs.store.Worker;
import java.time.Instant;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Jobs that expire, and what is left of them if their worker dies. */
class ExpiringJobsIT {

    private static final Instant LATE = Instant.now().plusSeconds(86_400);

    @AutoClose
    static final ScriptTestBed bed = new ScriptTestBed();

    private final ExpiringJobs jobs = new ExpiringJobs(bed.connection, bed.keys);
    private Worker worker;

    @BeforeEach
    void oneProcess() {
        bed.clear();
        worker = bed.worker("one").join();
        bed.push("mail", "a", "b");
        worker.take(2, "mail");
    }

    @Test
    void ofADeadWorkersJobsTheBegunOneIsToldFromTheOthers() {
        assertThat(jobs.begin("one", "0:1:1:mail", LATE, bytes("begun"))).isTrue();
        assertThat(jobs.begin("one", "0:1:1:mail", LATE, bytes("begun"))).isTrue();

        bed.redis.texts().zadd("jobs:beats", -1, "one");
        bed.leases().reap("one");

        assertThat(bed.queue("mail")).containsExactlyInAnyOrder("begun", "b");
        assertThat(bed.books().conservationError()).isZero();
    }

    @Test
    void anExpiredJobStaysAsItIs() {
        assertThat(jobs.begin("one", "0:1:1:mail", Instant.now().minusSeconds(86_400), bytes("begun")))
                .isFalse();

        assertThat(bed.inFlight("one")).containsValues("a", "b");
    }

    @Test
    void aJobThatTheProcessHoldsNoMoreIsStoredNowhere() {
        worker.settle(Settlement.done("0:1:1:mail"));

        assertThat(jobs.begin("one", "0:1:1:mail", LATE, bytes("begun"))).isTrue();

        assertThat(bed.inFlight("one")).containsOnlyKeys("0:1:2:mail").containsValue("b");
    }

    @Test
    void beginsWhileRedisIsFull() {
        bed.fill();
        try {
            assertThat(jobs.begin("one", "0:1:1:mail", LATE, bytes("begun"))).isTrue();
        } finally {
            bed.drain();
        }
        assertThat(bed.inFlight("one")).containsEntry("0:1:1:mail", "begun");
    }

    @Test
    void aKeyOfAnotherTypeIsAnError() {
        bed.redis.texts().set("jobs:in:other", "odd");

        assertThatThrownBy(() -> jobs.begin("other", "0:1:1:mail", LATE, bytes("begun")))
                .isInstanceOf(JobStoreException.class);
    }
}
