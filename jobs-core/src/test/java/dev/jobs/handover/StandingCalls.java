package dev.jobs.handover;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.handover.StandingCall.Waited;
import dev.jobs.store.JobClaims;
import dev.jobs.store.JobClaims.Reply;
import dev.jobs.store.JobClaims.Request;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/** Lets exchanges stand, for tests of other rooms. */
public final class StandingCalls {

    private StandingCalls() {}

    /** The answer of an exchange that stands until a job is pushed. */
    public static CompletableFuture<Reply> untilPushed(
            JobClaims claims, Request request, String queue, Duration atMost) {
        StandingCall standing = StandingCall.of(claims);
        standing.connect();
        return standing.stand(request, queue, atMost)
                .thenApply(stood -> {
                    assertThat(stood.waited()).isEqualTo(Waited.PUSHED);
                    return stood.reply();
                })
                .toCompletableFuture();
    }
}
