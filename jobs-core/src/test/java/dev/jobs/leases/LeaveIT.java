package dev.jobs.leases;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.leases.ProcessLeases.Fenced;
import dev.jobs.store.JobClaims.Status;
import dev.jobs.store.ScriptTestBed;
import dev.jobs.store.Settlement;
import dev.jobs.store.Worker;
import java.util.List;
import java.util.SortedMap;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class LeaveIT {

    @AutoClose
    static final ScriptTestBed bed = new ScriptTestBed();

    private Worker worker;

    @BeforeEach
    void oneProcess() {
        bed.clear();
        worker = bed.worker("one").join();
    }

    @Test
    void leavesNothingBehind() {
        bed.push("mail", "a");
        worker.take(1, "mail");
        worker.settle(Settlement.done("0:1:1:mail"));

        assertThat(worker.leases.leave("one")).isZero();

        assertThat(bed.stored()).doesNotContainKeys("jobs:in:one", "jobs:beats");
        assertThat(bed.redis.texts().hkeys("jobs:seen")).doesNotContain("one");
        assertThat(worker.beat()).isInstanceOf(Fenced.class);
        assertThat(worker.exchange(0, 1, 1, List.of("mail"), List.of()).status())
                .isEqualTo(Status.FENCED);
    }

    @Test
    void givesUpAProcessThatStillHoldsJobs() {
        bed.push("mail", "a", "b");
        worker.exchange(1, 2, 1, List.of("mail"), List.of());

        assertThat(worker.leases.leave("one")).isEqualTo(2);

        assertThat(bed.leases().givenUp()).containsExactly("one");
        assertThat(bed.books().conservationError()).isZero();
        assertThat(bed.leases().reap("one").recovered()).isEqualTo(2);
        assertThat(bed.queue("mail")).containsExactlyInAnyOrder("a", "b");
    }

    @Test
    void doesNothingTheSecondTime() {
        bed.push("mail", "a");
        worker.take(1, "mail");
        worker.leases.leave("one");
        SortedMap<String, Object> after = bed.stored();

        assertThat(worker.leases.leave("one")).isEqualTo(1);
        assertThat(bed.stored()).isEqualTo(after);
    }

    @Test
    void doesNotReviveAProcessThatWasForgotten() {
        bed.push("mail", "a");
        worker.take(1, "mail");
        bed.redis.texts().zadd("jobs:beats", -1, "one");
        bed.leases().reap("one");
        SortedMap<String, Object> after = bed.stored();

        assertThat(worker.leases.leave("one")).isZero();
        assertThat(bed.stored()).isEqualTo(after);
    }

    @Test
    void keepsAProcessGivenUpThatWas() {
        bed.push("mail", "a");
        worker.take(1, "mail");
        bed.redis.texts().zadd("jobs:beats", -1, "one");

        assertThat(worker.leases.leave("one")).isEqualTo(1);
        assertThat(bed.leases().givenUp()).containsExactly("one");
    }

    @Test
    void leavesItsJobsToBeFoundAlsoWithoutWhatRoundsSaw() {
        bed.push("mail", "a");
        worker.take(1, "mail");
        bed.redis.texts().del("jobs:seen");
        bed.redis.texts().set("jobs:seen", "text");

        assertThat(worker.leases.leave("one")).isEqualTo(1);
        assertThat(bed.leases().givenUp()).containsExactly("one");
        assertThat(bed.leases().reap("one").finished()).isTrue();
    }
}
