package dev.jobs.test.ladder;

import org.springframework.boot.autoconfigure.SpringBootApplication;

/** An application whose job has delays of its own. */
@SpringBootApplication
class LadderApplication {}
