package dev.jobs.store;

import static dev.jobs.store.ScriptTestBed.DAY;
import static dev.jobs.store.ScriptTestBed.bytes;
import static dev.jobs.store.Worker.payloads;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jobs.JobStoreException;
import dev.jobs.JobStoreException.Kind;
import dev.jobs.store.JobClaims.Reply;
import java.time.Duration;
import java.util.List;
import java.util.SortedMap;
import java.util.stream.Stream;
import org.assertj.core.api.SoftAssertions;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Keys of the wrong type: no job may be lost or be in two places. */
class WrongTypesIT {

    @AutoClose
    @RegisterExtension
    static final ScriptTestBed bed = new ScriptTestBed();

    private final AllPlacesFixture fixture = new AllPlacesFixture(bed);

    static Stream<String> keys() {
        return Stream.of(
                "jobs:beats",
                "jobs:seen",
                "jobs:round",
                "jobs:in:one",
                "jobs:in:gone",
                "jobs:ledger",
                "jobs:recovered",
                "jobs:recovered:times",
                "jobs:pushes:me",
                "queues",
                "queue:mail",
                "queue:low",
                "paused",
                "schedule",
                "retry",
                "dead",
                "dear-leader",
                "processes",
                "one",
                "one:work",
                "one-signals",
                "stat:processed",
                "stat:failed",
                "stat:processed:" + DAY,
                "stat:failed:" + DAY);
    }

    private static boolean plain(String key) {
        return key.startsWith("stat:") || key.equals("jobs:round") || key.equals("dear-leader");
    }

    @ParameterizedTest
    @MethodSource("keys")
    void losesAndDoublesNoJobWhateverAKeyHolds(String key) {
        SoftAssertions softly = new SoftAssertions();
        for (String what : fixture.steps().keySet()) {
            fixture.store(key, plain(key) ? "RPUSH" : "SET");
            SortedMap<String, List<String>> before = AllPlacesFixture.places(bed.stored());
            Exception failure = null;
            try {
                fixture.steps().get(what).run();
            } catch (JobStoreException e) {
                failure = e;
            }
            SortedMap<String, List<String>> after = AllPlacesFixture.places(bed.stored());
            after.remove("new");
            softly.assertThat(after.keySet()).as("jobs after '%s'", what).isEqualTo(before.keySet());
            after.forEach((job, in) ->
                    softly.assertThat(in).as("%s after '%s'", job, what).hasSize(1));
            if (failure != null) {
                softly.assertThat(after)
                        .as("places after '%s', which failed with %s", what, failure)
                        .isEqualTo(before);
            }
        }
        softly.assertAll();
    }

    @Test
    void takesFromTheOtherQueuesAndNamesTheBrokenOne() {
        Worker worker = bed.worker("one").join();
        bed.redis.texts().set("queue:broken", "text");
        bed.push("low", "a");

        Reply reply = worker.exchange(0, 5, 1, List.of("broken", "low"), List.of());

        assertThat(payloads(reply.claimed())).containsExactly("a");
        assertThat(reply.brokenQueues()).containsExactly("broken");
    }

    @Test
    void keepsAJobThatCannotGoWhereItBelongsUntilItCan() {
        fixture.store();
        Worker worker = fixture.worker();
        List<Settlement> settlements = List.of(
                Settlement.retried("0:1:1:mail", Duration.ofSeconds(1), bytes("held")), Settlement.done("0:9:9:mail"));
        bed.redis.texts().del("retry");
        bed.redis.texts().set("retry", "text");

        Reply refused = worker.exchange(0, 0, 0, List.of(), settlements);

        assertThat(refused.moves()).containsExactly(-1);
        assertThat(bed.inFlight("one")).containsOnlyKeys("0:1:1:mail");
        assertThat(bed.books().conservationError()).isZero();
        bed.redis.texts().del("retry");
        assertThat(worker.exchange(0, 0, 0, List.of(), settlements).moves()).containsExactly(1);
        assertThat(bed.members("retry")).containsExactly("held");
        assertThat(bed.books().conservationError()).isZero();
    }

    @Test
    void changesNothingIfItCannotReadWhichProcessesLive() {
        fixture.store();
        Worker worker = fixture.worker();
        bed.redis.texts().del("jobs:beats");
        bed.redis.texts().set("jobs:beats", "text");
        SortedMap<String, Object> before = bed.stored();

        assertThatThrownBy(() -> worker.exchange(
                        0,
                        5,
                        1,
                        List.of("mail"),
                        List.of(Settlement.done("0:1:1:mail"), Settlement.handedBack("0:1:1:mail", "mail", true))))
                .isInstanceOfSatisfying(
                        JobStoreException.class, e -> assertThat(e.kind()).isEqualTo(Kind.WRONG_TYPE));
        assertThat(bed.stored()).isEqualTo(before);
    }

    @Test
    void goesOnWithoutCountersThatCannotCount() {
        fixture.store();
        Worker worker = fixture.worker();
        for (String counter : List.of("stat:processed", "stat:failed", "stat:processed:" + DAY, "stat:failed:" + DAY)) {
            bed.redis.texts().set(counter, "text");
        }

        assertThat(worker.settle(Settlement.dead("0:1:1:mail", bytes("held"), true))
                        .moves())
                .containsExactly(1);
        assertThat(bed.members("dead")).contains("held");
        assertThat(bed.redis.texts().get("stat:processed")).isEqualTo("text");
    }

    @Test
    void promotesFromTheSetThatIsInOrder() {
        bed.redis.texts().set("retry", "text");
        bed.redis.texts().zadd("schedule", 1, "later");

        assertThat(bed.sets().due(10).scheduled()).hasSize(1);
        assertThat(bed.sets().due(10).broken()).containsExactly(StoredSet.RETRY);
        bed.redis.texts().del("schedule");
        assertThat(bed.sets().due(10).broken()).containsExactly(StoredSet.RETRY);
    }

    @Test
    void givesUpNoOwnerOfAKeyThatIsNoHash() {
        bed.redis.texts().set("jobs:in:strange", "text");

        assertThat(bed.condemnUnknown()).isZero();
        assertThat(bed.stored()).containsOnlyKeys("jobs:in:strange");
    }
}
