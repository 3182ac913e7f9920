package dev.jobs.sample;

import dev.jobs.sample.CustomerBatches.Started;
import jakarta.validation.Valid;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.NotBlank;
import jakarta.validation.constraints.Positive;
import jakarta.validation.constraints.Size;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

/** Enrollments in campaigns over HTTP. */
@RestController
@RequestMapping("/enrollments")
class EnrollmentController {

    private final Enrollments enrollments;

    /** The request of a seller: the products 1 to {@code products}. */
    record NewEnrollment(
            @NotBlank @Size(max = 100) String campaign,
            @Positive @Max(10_000) int products) {}

    EnrollmentController(Enrollments enrollments) {
        this.enrollments = enrollments;
    }

    @PostMapping
    ResponseEntity<Started> start(@Valid @RequestBody NewEnrollment enrollment, Customer customer) {
        String id = enrollments.start(enrollment.campaign(), enrollment.products(), customer.name());
        return Started.at("/enrollments/", id);
    }
}
