package dev.jobs.slices;

import org.springframework.boot.autoconfigure.SpringBootApplication;

/** An application whose tests are slices: jobs beside controllers and tables. */
@SpringBootApplication
class SlicedApplication {}
