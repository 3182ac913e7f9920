package dev.jobs.store;

import static dev.jobs.store.Worker.payloads;
import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.lists.Ledger;
import dev.jobs.store.JobClaims.Claimed;
import dev.jobs.store.JobClaims.Reply;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Jobs that outlived their workers twice: a process runs one at a time, and no other job waits for them. */
class SuspectsIT {

    @AutoClose
    static final ScriptTestBed bed = new ScriptTestBed();

    private Worker worker;

    @BeforeEach
    void oneProcess() {
        bed.clear();
        worker = bed.worker("one").join();
    }

    private static void suspect(String... payloads) {
        for (String payload : payloads) {
            bed.redis.texts().hset("jobs:recovered", ScriptTestBed.sha1(payload), "2");
        }
    }

    private List<Claimed> claim(int want, int suspects) {
        Reply reply = worker.exchange(0, want, suspects, List.of("mail"), List.of());
        return reply.claimed();
    }

    @Test
    void comeInAsManyAsMay() {
        suspect("s1", "s2");
        bed.push("mail", "a", "s1", "b", "s2", "c");

        List<Claimed> claimed = claim(10, 1);

        assertThat(payloads(claimed)).containsExactly("a", "s1", "b", "c");
        assertThat(claimed).extracting(Claimed::recoveries).containsExactly(0, 2, 0, 0);
        assertThat(bed.queue("mail")).containsExactly("s2");
        assertThat(payloads(claim(10, 1))).containsExactly("s2");
    }

    @Test
    void letOthersPassAtOnce() {
        suspect("s1", "s2", "s3");
        bed.push("mail", "s1", "s2", "a", "s3", "b");

        assertThat(payloads(claim(1, 0))).containsExactly("a");
        assertThat(payloads(claim(5, 0))).containsExactly("b");
        assertThat(bed.queue("mail")).containsExactlyInAnyOrder("s1", "s2", "s3");
        assertThat(bed.books()).isEqualTo(new Ledger.Totals(2, 0, 0, 0, 0, 0, 2));
    }

    @Test
    void keepTheirPlaceWhenOthersPass() {
        suspect("s1", "s2");
        bed.push("mail", "a", "s1", "b", "s2", "c", "d");

        assertThat(payloads(claim(3, 0))).containsExactly("a", "b", "c");
        assertThat(bed.queue("mail")).containsExactly("s1", "s2", "d");
        assertThat(payloads(claim(3, 1))).containsExactly("s1", "d");
        assertThat(bed.queue("mail")).containsExactly("s2");
        assertThat(bed.books()).isEqualTo(new Ledger.Totals(5, 0, 0, 0, 0, 0, 5));
    }

    @Test
    void stayWhereTheyAreWhenThereIsNothingElse() {
        suspect("s1", "s2");
        bed.push("mail", "s1", "s2");
        SortedMap<String, Object> before = bed.stored();

        assertThat(claim(10, 0)).isEmpty();
        assertThat(claim(1, 0)).isEmpty();
        assertThat(bed.stored()).isEqualTo(before);
        assertThat(payloads(claim(10, 2))).containsExactly("s1", "s2");
    }

    @Test
    void blockNoOtherJobsHoweverManyTheyAre() {
        String[] suspects = IntStream.range(0, 450).mapToObj(i -> "s" + i).toArray(String[]::new);
        suspect(suspects);
        bed.push("mail", suspects);
        bed.push("mail", "a");

        List<String> claimed = new ArrayList<>();
        for (int i = 0; i < 5 && claimed.isEmpty(); i++) {
            claimed.addAll(payloads(claim(10, 0)));
        }

        assertThat(claimed).containsExactly("a");
        assertThat(bed.queue("mail")).containsExactlyInAnyOrder(suspects);
    }

    @Test
    void goToTheOtherQueuesOnlyWhatTheyAreWorth() {
        suspect("s1", "s2");
        bed.push("mail", "s1", "a");
        bed.push("low", "s2", "b");

        Reply reply = worker.exchange(0, 10, 1, List.of("mail", "low"), List.of());

        assertThat(payloads(reply.claimed())).containsExactly("s1", "a", "b");
        assertThat(bed.queue("low")).containsExactly("s2");
    }

    @Test
    void areRecognisedInARepeatedAnswer() {
        suspect("s1");
        bed.push("mail", "a", "s1");
        claim(10, 1);

        assertThat(worker.repeat(worker.last()).claimed())
                .extracting(Claimed::recoveries)
                .containsExactly(0, 2);
    }
}
