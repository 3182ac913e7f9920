package dev.jobs.dashboard.jobs;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.ArgumentMasking;
import dev.jobs.JobRegistry;
import dev.jobs.Payload;
import dev.jobs.admin.JobRecord;
import dev.jobs.admin.JobSet;
import dev.jobs.admin.ListedJob;
import java.util.List;
import org.junit.jupiter.api.Test;

class ViewsTests {

    /** Hides the first argument of the job {@code masked}. */
    private final Views views = new Views(new ArgumentMasking(
            new JobRegistry(List.of()),
            List.of((job, position, argument) ->
                    job.equals("masked") && position == 0 ? ArgumentMasking.HIDDEN : argument)));

    private static Payload failed(int characters) {
        String secret = "4111".repeat(1 + characters / 4);
        return Payload.parse("""
                {"class":"masked","jid":"j","args":["%s"],"tags":["card 4111","vip"],"error_message":"Card 4111 was refused",\
                "past_attempts":[{"message":"Card 4111 was refused before"}]}""".formatted(secret).getBytes(UTF_8));
    }

    @Test
    void aJobTooLargeToBeReadForItsSecretsShowsNoMessageOfAnyAttempt() {
        Payload stored = failed(Views.MOST_READ);
        assertThat(new String(stored.bytes(), UTF_8)).contains("4111");

        Payload shown = views.payload(stored);

        assertThat(new String(shown.bytes(), UTF_8))
                .contains("\"class\":\"masked\"", "\"jid\":\"j\"")
                .doesNotContain("4111", "was refused");
    }

    @Test
    void theTagsOfAJobAreThoseOfItsShownPayload() {
        assertThat(listed(failed(10)).tags()).containsExactly("card •••", "vip");
        assertThat(listed(failed(Views.MOST_READ)).tags()).isEmpty();
    }

    private Views.JobView listed(Payload stored) {
        return views.job(new ListedJob(JobRecord.inSet(JobSet.DEAD, stored.bytes(), 1), 0));
    }
}
