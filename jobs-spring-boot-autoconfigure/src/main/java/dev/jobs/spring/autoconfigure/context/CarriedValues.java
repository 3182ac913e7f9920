package dev.jobs.spring.autoconfigure.context;

import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;

/** What jobs take along. */
record CarriedValues(Supplier<List<CarriedValue>> all) {

    /** @throws dev.jobs.JobDefinitionException if one of them can't be found */
    void check() {
        Objects.requireNonNull(all.get());
    }
}
