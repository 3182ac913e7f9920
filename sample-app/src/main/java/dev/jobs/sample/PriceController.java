package dev.jobs.sample;

import dev.jobs.JobClient;
import dev.jobs.assembly.JobsAdmin;
import dev.jobs.iterations.IterationInfo;
import dev.jobs.unique.DuplicateJobException;
import java.net.URI;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;

/** Prices of imported products over HTTP. */
@RestController
@RequestMapping("/prices")
class PriceController {

    private final Products products;
    private final JobClient jobs;
    private final JobsAdmin admin;

    /** An enqueued job. */
    record Begun(String jid) {}

    PriceController(Products products, JobClient jobs, JobsAdmin admin) {
        this.products = products;
        this.jobs = jobs;
        this.admin = admin;
    }

    @GetMapping
    Map<String, Integer> all() {
        return products.imported("")
                .collect(Collectors.toMap(Product::sku, Product::cents, (one, other) -> other, TreeMap::new));
    }

    /** Of several callers at a time, all follow the same job. */
    @PostMapping("/rounding")
    ResponseEntity<Begun> roundUp() {
        String jid;
        try {
            jid = Objects.requireNonNull(jobs.enqueue(Pricing::roundUp));
        } catch (DuplicateJobException e) {
            jid = e.holder();
        }
        return ResponseEntity.accepted()
                .location(URI.create("/prices/rounding/" + jid))
                .body(new Begun(jid));
    }

    /** The progress of the job; unknown in the first seconds and after it is done. */
    @GetMapping("/rounding/{jid}")
    IterationInfo progress(@PathVariable String jid) {
        return admin.iteration(jid).orElseThrow(() -> new ResponseStatusException(HttpStatus.NOT_FOUND));
    }

    @DeleteMapping("/rounding/{jid}")
    @ResponseStatus(HttpStatus.ACCEPTED)
    void cancel(@PathVariable String jid) {
        jobs.cancel(jid);
    }
}
