package dev.jobs.sample;

import dev.jobs.JobStoreException;
import org.springframework.dao.DataAccessException;
import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.RestControllerAdvice;

/** What callers are told when something can't be done. */
@RestControllerAdvice
class Problems {

    @ExceptionHandler
    ProblemDetail unknownProduct(UnknownProductException e) {
        return ProblemDetail.forStatusAndDetail(HttpStatus.UNPROCESSABLE_CONTENT, String.valueOf(e.getMessage()));
    }

    /** Jobs buffers nothing while Redis is away: whoever enqueues hears of it at once, and can say so. */
    @ExceptionHandler({JobStoreException.class, DataAccessException.class})
    ProblemDetail noRedis() {
        return ProblemDetail.forStatusAndDetail(
                HttpStatus.SERVICE_UNAVAILABLE, "The shop can't reach its Redis. Please try again in a moment.");
    }
}
