package dev.jobs.sample;

import dev.jobs.BatchJobState;
import dev.jobs.BatchPage;
import dev.jobs.BatchStatus;
import dev.jobs.Batches;
import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.http.CacheControl;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;

/** Batches over HTTP, for their owners: what the three kinds of batches have in common. */
@RestController
@RequestMapping({"/enrollments/{id}", "/imports/{id}", "/exports/{id}"})
class BatchController {

    private static final int PAGE = 1_000;

    private final Batches batches;
    private final CustomerBatches own;

    /**
     * The progress of a batch.
     *
     * @param share of the jobs that have ended, from 0 to 1
     * @param secondsLeft an estimate; null while there is none
     * @param batch its counters, and the states of its callbacks
     */
    record Progress(
            String id,
            BatchStatus.State state,
            double share,
            @Nullable Long secondsLeft,
            BatchStatus batch) {

        static Progress of(BatchStatus status) {
            Long secondsLeft =
                    status.remaining(Instant.now()).map(Duration::toSeconds).orElse(null);
            return new Progress(status.id(), status.state(), status.share(), secondsLeft, status);
        }
    }

    BatchController(Batches batches, CustomerBatches own) {
        this.batches = batches;
        this.own = own;
    }

    /** For clients that poll: 304 as long as nothing has changed. */
    @GetMapping
    ResponseEntity<Progress> progress(@PathVariable String id, Customer customer) {
        BatchStatus status = own.get(id, customer);
        return ResponseEntity.ok()
                .eTag(status.version())
                .cacheControl(CacheControl.noCache())
                .body(Progress.of(status));
    }

    /**
     * What became of each job.
     *
     * @param state of the jobs to return, in any case; empty for all
     * @param after {@code next} of the previous page
     */
    @GetMapping("/jobs")
    BatchPage jobs(
            @PathVariable String id,
            @RequestParam(defaultValue = "") String state,
            @RequestParam(defaultValue = "-1") long after,
            Customer customer) {
        own.get(id, customer);
        return batches.jobs(id, states(state), after, PAGE);
    }

    /** Jobs that wait are skipped; what has been done stays. */
    @DeleteMapping
    @ResponseStatus(HttpStatus.NO_CONTENT)
    void cancel(@PathVariable String id, Customer customer) {
        own.get(id, customer);
        batches.cancel(id);
    }

    private static Set<BatchJobState> states(String state) {
        try {
            return state.isEmpty() ? Set.of() : Set.of(BatchJobState.valueOf(state.toUpperCase(Locale.ROOT)));
        } catch (IllegalArgumentException e) {
            throw new ResponseStatusException(HttpStatus.BAD_REQUEST, "There is no state '" + state + "'", e);
        }
    }
}
