package dev.jobs.sample;

import dev.jobs.batches.BatchJobState;
import dev.jobs.batches.BatchPage;
import dev.jobs.batches.Batches;
import dev.jobs.spring.BatchView;
import dev.jobs.spring.web.BatchProgress;
import java.util.Locale;
import java.util.Set;
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
import org.springframework.web.servlet.mvc.method.annotation.SseEmitter;

/** Batches over HTTP, for their owners: what the three kinds of batches have in common. */
@RestController
@RequestMapping({"/enrollments/{id}", "/imports/{id}", "/exports/{id}"})
class BatchController {

    private static final int PAGE = 1_000;

    private final Batches batches;
    private final CustomerBatches own;
    private final BatchProgress progress;

    BatchController(Batches batches, CustomerBatches own, BatchProgress progress) {
        this.batches = batches;
        this.own = own;
        this.progress = progress;
    }

    /** For clients that poll: 304 as long as nothing has changed. */
    @GetMapping
    ResponseEntity<BatchView> poll(@PathVariable String id, Customer customer) {
        return progress.poll(id, batch -> own.view(batch, customer));
    }

    /** For clients that stay: an event for each change, at most two a second. */
    @GetMapping("/events")
    ResponseEntity<SseEmitter> events(@PathVariable String id, Customer customer) {
        return progress.stream(id, batch -> own.view(batch, customer));
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

    static Set<BatchJobState> states(String state) {
        try {
            return state.isEmpty() ? Set.of() : Set.of(BatchJobState.valueOf(state.toUpperCase(Locale.ROOT)));
        } catch (IllegalArgumentException e) {
            throw new ResponseStatusException(HttpStatus.BAD_REQUEST, "There is no state '" + state + "'", e);
        }
    }
}
