package dev.jobs.sample;

import dev.jobs.JobStoreException;
import dev.jobs.batches.BatchEndedException;
import org.springframework.dao.DataAccessException;
import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.RestControllerAdvice;

/** The answers to callers when a request fails. */
@RestControllerAdvice
class Problems {

    @ExceptionHandler
    ProblemDetail unknownProduct(UnknownProductException e) {
        return ProblemDetail.forStatusAndDetail(HttpStatus.UNPROCESSABLE_CONTENT, String.valueOf(e.getMessage()));
    }

    /** Nothing can be added to a batch that has ended. */
    @ExceptionHandler
    ProblemDetail importedAlready(BatchEndedException e) {
        return ProblemDetail.forStatusAndDetail(HttpStatus.CONFLICT, String.valueOf(e.getMessage()));
    }

    /**
     * Jobs buffers nothing while Redis is away: an enqueue fails at once, so the caller can report it. So does a batch
     * while the database of its history is away.
     */
    @ExceptionHandler({JobStoreException.class, DataAccessException.class})
    ProblemDetail noData() {
        return ProblemDetail.forStatusAndDetail(
                HttpStatus.SERVICE_UNAVAILABLE, "The shop can't reach its data. Please try again in a moment.");
    }
}
