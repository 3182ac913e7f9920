package dev.jobs.sample;

import dev.jobs.sample.CustomerBatches.Started;
import dev.jobs.sample.PastEnrollments.PastEnrollment;
import dev.jobs.sample.PastEnrollments.PastProduct;
import jakarta.validation.Valid;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.NotBlank;
import jakarta.validation.constraints.Pattern;
import jakarta.validation.constraints.Positive;
import jakarta.validation.constraints.Size;
import java.util.List;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** Enrollments in campaigns over HTTP. */
@RestController
@RequestMapping("/enrollments")
class EnrollmentController {

    private final Enrollments enrollments;
    private final PastEnrollments past;

    /** The request of a seller: the products 1 to {@code products}. */
    record NewEnrollment(
            @NotBlank @Size(max = 80) @Pattern(regexp = ".*", message = "must be one line") String campaign,

            @Positive @Max(10_000) int products) {}

    EnrollmentController(Enrollments enrollments, PastEnrollments past) {
        this.enrollments = enrollments;
        this.past = past;
    }

    @PostMapping
    ResponseEntity<Started> start(@Valid @RequestBody NewEnrollment enrollment, Customer customer) {
        String id = enrollments.start(enrollment.campaign(), enrollment.products(), customer.name());
        return Started.at("/enrollments/", id);
    }

    /**
     * Past enrollments of the customer.
     *
     * @param campaign empty for all
     */
    @GetMapping
    List<PastEnrollment> past(@RequestParam(defaultValue = "") String campaign, Customer customer) {
        return past.find(customer, campaign);
    }

    /**
     * Products in past enrollments of the customer.
     *
     * @param campaign empty for all
     * @param state of the products, in any case; empty for all
     * @param text words of a message
     */
    @GetMapping("/products")
    List<PastProduct> products(
            @RequestParam(defaultValue = "") String campaign,
            @RequestParam(defaultValue = "") String state,
            @RequestParam(defaultValue = "") String text,
            Customer customer) {
        return past.findProducts(customer, campaign, BatchController.states(state), text);
    }
}
