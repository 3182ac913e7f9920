package dev.jobs.sample;

import dev.jobs.BatchStatus;
import dev.jobs.Batches;
import java.net.URI;
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
                .filter(status -> status.createdBy().equals(customer.name()))
                .orElseThrow(() -> new ResponseStatusException(HttpStatus.NOT_FOUND, "There is no batch " + id));
    }
}
