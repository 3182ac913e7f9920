package dev.jobs.sample;

import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Positive;
import java.net.URI;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;

/** Sales reports over HTTP. */
@RestController
@RequestMapping("/reports")
class ReportController {

    private final SalesReports reports;

    ReportController(SalesReports reports) {
        this.reports = reports;
    }

    @PostMapping
    ResponseEntity<SalesReports.Ordered> order(@RequestParam(defaultValue = "90") @Positive @Max(3_660) int days) {
        SalesReports.Ordered ordered = reports.order(days);
        return ResponseEntity.accepted()
                .location(URI.create("/reports/" + ordered.id()))
                .body(ordered);
    }

    @GetMapping("/{id}")
    SalesReports.Report one(@PathVariable long id) {
        return reports.find(id)
                .orElseThrow(() -> new ResponseStatusException(HttpStatus.NOT_FOUND, "There is no report " + id));
    }
}
