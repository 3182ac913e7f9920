package dev.jobs.sample;

import dev.jobs.sample.CustomerBatches.Started;
import jakarta.validation.constraints.Size;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** Imports of products over HTTP. */
@RestController
@RequestMapping("/imports")
class ImportController {

    private final ProductImports imports;

    ImportController(ProductImports imports) {
        this.imports = imports;
    }

    /**
     * Accepts lines of the form {@code sku,name,cents}, with or without this header line. An upload that broke off is
     * continued by the same request again, if it names its file.
     */
    @PostMapping(consumes = "text/csv")
    ResponseEntity<Started> start(
            @RequestParam(defaultValue = "") @Size(max = 100) String file, Customer customer, InputStream list)
            throws IOException {
        BufferedReader lines = new BufferedReader(new InputStreamReader(list, StandardCharsets.UTF_8));
        return Started.at("/imports/", imports.start(file, lines, customer.name()));
    }
}
