package dev.jobs.leases;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.leases.ProcessLeases.Alive;
import dev.jobs.processes.ProcessRegistry;
import dev.jobs.store.ScriptTestBed;
import dev.jobs.store.Worker;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("sidekiq-28")
class LeadershipIT {

    private static final Duration TERM = Duration.ofSeconds(10);

    @AutoClose
    static final ScriptTestBed bed = new ScriptTestBed();

    private Worker a;
    private Worker b;

    @BeforeEach
    void twoProcesses() {
        bed.clear();
        a = bed.worker("a").join();
        b = bed.worker("b").join();
    }

    private static String leaderAfter(Worker worker, Duration term) {
        return ((Alive) worker.leases.beat(worker.id, term)).leader();
    }

    @Test
    void goesToTheFirstCandidate() {
        assertThat(leaderAfter(a, TERM)).isEqualTo("a");
        assertThat(leaderAfter(b, TERM)).isEqualTo("a");
        assertThat(bed.redis.texts().get("dear-leader")).isEqualTo("a");
        assertThat(new ProcessRegistry(bed.connection, bed.keys).leader()).isEqualTo("a");
    }

    @Test
    void isRenewedByTheLeaderOnly() {
        leaderAfter(a, TERM);
        bed.redis.texts().pexpire("dear-leader", 5_000);
        leaderAfter(b, TERM);
        assertThat(bed.redis.texts().pttl("dear-leader")).isBetween(1L, 5_000L);
        leaderAfter(a, TERM);
        assertThat(bed.redis.texts().pttl("dear-leader")).isBetween(5_001L, 10_000L);
    }

    @Test
    void goesToAnotherAfterItsEnd() {
        leaderAfter(a, TERM);
        bed.redis.texts().del("dear-leader"); // as its expiry does
        assertThat(leaderAfter(b, TERM)).isEqualTo("b");
        assertThat(leaderAfter(a, TERM)).isEqualTo("b");
    }

    @Test
    void endsWhenTheLeaderDoesNotStandAnyMore() {
        leaderAfter(a, TERM);
        assertThat(leaderAfter(b, Duration.ZERO)).isEqualTo("a");
        assertThat(leaderAfter(a, Duration.ZERO)).isEmpty();
        assertThat(bed.redis.texts().exists("dear-leader")).isZero();
    }

    @Test
    void endsWhenTheLeaderLeaves() {
        leaderAfter(a, TERM);
        b.leases.leave("b");
        assertThat(bed.redis.texts().get("dear-leader")).isEqualTo("a");
        a.leases.leave("a");
        assertThat(bed.redis.texts().exists("dear-leader")).isZero();
    }

    @Test
    void endsWhenTheLeaderIsGivenUpAndIsFreeAtOnce() {
        leaderAfter(a, Duration.ofHours(1));
        String leader = "a";
        for (int i = 0; i <= ProcessLeases.ROUNDS; i++) {
            assertThat(leader).isEqualTo("a");
            bed.letARoundBeDue();
            leader = leaderAfter(b, TERM);
        }
        assertThat(leader).isEmpty();
        assertThat(leaderAfter(b, TERM)).isEqualTo("b");
    }

    @Test
    void isNotGivenToTheDead() {
        bed.redis.texts().zadd("jobs:beats", -1, "a");
        a.leases.beat("a", TERM);
        assertThat(bed.redis.texts().exists("dear-leader")).isZero();
    }

    private static Set<String> rolesAfter(ProcessLeases leases, String id, Duration term) {
        return ((Alive) leases.beat(id, term)).roles();
    }

    @Test
    void aRoleGoesToTheFirstCandidateAlsoWhereAnotherProcessLeads() {
        ProcessLeases ofB = b.leases.standingFor(List.of("x", "y"));
        ProcessLeases ofC = bed.leases().standingFor(List.of("y", "z"));
        leaderAfter(a, TERM);
        assertThat(rolesAfter(ofB, "b", TERM)).containsExactlyInAnyOrder("x", "y");
        assertThat(((Alive) ofC.register("c", TERM)).roles()).containsExactly("z");
        assertThat(rolesAfter(b.leases, "b", TERM))
                .as("which it no longer knows")
                .isEmpty();

        assertThat(bed.redis.texts().get("dear-leader")).isEqualTo("a");
        assertThat(bed.redis.texts().get("jobs:role:y")).isEqualTo("b");
        assertThat(bed.redis.texts().pttl("jobs:role:y")).isBetween(1L, TERM.toMillis());
        bed.redis.texts().del("jobs:role:y"); // as its expiry does
        assertThat(rolesAfter(ofC, "c", TERM)).containsExactlyInAnyOrder("y", "z");
        assertThat(rolesAfter(ofB, "b", TERM)).containsExactly("x");
    }

    @Test
    void aRoleIsGivenUpByAProcessThatDoesNotStandAnyMoreOrLeaves() {
        ProcessLeases ofA = a.leases.standingFor(List.of("x"));
        ProcessLeases ofB = b.leases.standingFor(List.of("x"));
        assertThat(rolesAfter(ofA, "a", TERM)).containsExactly("x");
        assertThat(rolesAfter(ofB, "b", Duration.ZERO)).isEmpty();
        assertThat(bed.redis.texts().get("jobs:role:x")).isEqualTo("a");
        assertThat(rolesAfter(ofA, "a", Duration.ZERO)).isEmpty();
        assertThat(rolesAfter(ofB, "b", TERM)).containsExactly("x");
        ofA.leave("a");
        assertThat(bed.redis.texts().get("jobs:role:x")).isEqualTo("b");
        ofB.leave("b");
        assertThat(bed.redis.texts().exists("jobs:role:x")).isZero();
    }

    @Test
    void aRoleIsFreeAtOnceWhenTheProcessIsGivenUpThatHasIt() {
        ProcessLeases ofB = b.leases.standingFor(List.of("x"));
        rolesAfter(a.leases.standingFor(List.of("x")), "a", Duration.ofHours(1));
        for (int i = 0; i <= ProcessLeases.ROUNDS; i++) {
            assertThat(bed.redis.texts().get("jobs:role:x")).isEqualTo("a");
            bed.letARoundBeDue();
            rolesAfter(ofB, "b", TERM);
        }
        assertThat(rolesAfter(ofB, "b", TERM)).containsExactly("x");
    }

    @Test
    void aKeyOfAnotherTypeKeepsARoleFromAllAndHarmsNoBeat() {
        ProcessLeases ofA = a.leases.standingFor(List.of("x", "y"));
        bed.redis.texts().lpush("jobs:role:x", "text");
        assertThat(rolesAfter(ofA, "a", TERM)).containsExactly("y");
        assertThat(rolesAfter(ofA, "a", Duration.ZERO)).isEmpty();
        ofA.leave("a");
        assertThat(bed.redis.texts().type("jobs:role:x")).isEqualTo("list");
    }

    @Test
    void startsWithTheRegistration() {
        assertThat(((Alive) bed.leases().register("c", TERM)).leader()).isEqualTo("c");
    }
}
