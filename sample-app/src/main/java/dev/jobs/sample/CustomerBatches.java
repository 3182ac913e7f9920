package dev.jobs.sample;

import dev.jobs.batches.BatchStatus;
import dev.jobs.batches.Batches;
import dev.jobs.spring.BatchView;
import java.net.URI;
import java.time.Instant;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.stereotype.Component;
import org.springframework.web.server.ResponseStatusException;

/** Batches as their owners see them. An id is not a secret, so each request compares who created the batch. */
@Component
class CustomerBatches {

    private final Batches batches;

    /** A batch that was started. */
    record Started(String id) {

        /** The answer to the request that started it. */
        static ResponseEntity<Started> at(String path, String id) {
            return ResponseEntity.accepted().location(URI.create(path + id)).body(new Started(id));
        }
    }

    CustomerBatches(Batches batches) {
        this.batches = batches;
    }

    /**
     * The batch with that id.
     *
     * @throws ResponseStatusException if there is none, or it belongs to somebody else: the answer is the same
     */
    BatchStatus get(String id, Customer customer) {
        return batches.find(id)
                .filter(batch -> batch.createdBy().equals(customer.name()))
                .orElseThrow(() -> notFound(id));
    }

    /**
     * A batch as JSON.
     *
     * @throws ResponseStatusException if it belongs to somebody else
     */
    BatchView view(BatchStatus batch, Customer customer) {
        if (!batch.createdBy().equals(customer.name())) {
            throw notFound(batch.id());
        }
        return BatchView.of(batch, Instant.now());
    }

    private static ResponseStatusException notFound(String id) {
        return new ResponseStatusException(HttpStatus.NOT_FOUND, "There is no batch " + id);
    }
}
