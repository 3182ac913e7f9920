package dev.jobs.sample;

import java.net.URI;
import java.util.List;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;

/** Imports of products over HTTP. */
@RestController
@RequestMapping("/imports")
class ImportController {

    private static final int MOST_ROWS = 100_000;

    private final ProductImports imports;

    /** A started import. */
    record Started(long id, int rows) {}

    ImportController(ProductImports imports) {
        this.imports = imports;
    }

    /** Accepts lines of the form {@code sku,name,cents}, with or without this header line. */
    @PostMapping(consumes = "text/csv")
    ResponseEntity<Started> start(@RequestBody String csv) {
        List<String> rows = csv.lines()
                .filter(line -> !line.isBlank() && !line.strip().equalsIgnoreCase("sku,name,cents"))
                .toList();
        if (rows.isEmpty()) {
            throw new ResponseStatusException(HttpStatus.BAD_REQUEST, "There is no line of the form sku,name,cents");
        }
        if (rows.size() > MOST_ROWS) {
            throw new ResponseStatusException(HttpStatus.CONTENT_TOO_LARGE, "More than " + MOST_ROWS + " lines");
        }
        long id = imports.start(rows);
        return ResponseEntity.accepted().location(URI.create("/imports/" + id)).body(new Started(id, rows.size()));
    }

    @GetMapping("/{id}")
    ProductImports.Progress one(@PathVariable long id) {
        return imports.progress(id)
                .orElseThrow(() -> new ResponseStatusException(HttpStatus.NOT_FOUND, "There is no import " + id));
    }
}
