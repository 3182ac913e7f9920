package dev.jobs.history;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;

/** Meters of the history. */
final class HistoryGauges {

    HistoryGauges(HistoryWriter writer, MeterRegistry meters) {
        Gauge.builder("jobs.history.waiting", writer, HistoryWriter::waiting)
                .description("Ends of jobs that wait to be written into the history")
                .register(meters);
        FunctionCounter.builder("jobs.history.dropped", writer, HistoryWriter::dropped)
                .description("Ends of jobs that the history left out, as the database couldn't keep up")
                .register(meters);
    }
}
