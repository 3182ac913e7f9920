package dev.jobs.sample;

import dev.jobs.sample.CustomerBatches.Started;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Positive;
import org.springframework.core.io.FileSystemResource;
import org.springframework.core.io.Resource;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;

/** Exports of sales over HTTP. */
@RestController
@RequestMapping("/exports")
class ExportController {

    private final Exports exports;
    private final CustomerBatches batches;

    ExportController(Exports exports, CustomerBatches batches) {
        this.exports = exports;
        this.batches = batches;
    }

    @PostMapping
    ResponseEntity<Started> start(
            @RequestParam(defaultValue = "500000") @Positive @Max(5_000_000) int records, Customer customer) {
        return Started.at("/exports/", exports.start(records, customer.name()));
    }

    /** The joined file, which is there once the callback has succeeded. */
    @GetMapping("/{id}/file")
    ResponseEntity<Resource> file(@PathVariable String id, Customer customer) {
        batches.get(id, customer);
        return exports.file(id)
                .map(file -> ResponseEntity.ok()
                        .contentType(MediaType.parseMediaType("text/csv"))
                        .header(HttpHeaders.CONTENT_DISPOSITION, "attachment; filename=\"sales.csv\"")
                        .<Resource>body(new FileSystemResource(file)))
                .orElseThrow(
                        () -> new ResponseStatusException(HttpStatus.NOT_FOUND, "Export " + id + " is not ready yet"));
    }
}
