package dev.jobs.test.shop;

import dev.jobs.Job;
import dev.jobs.iterations.Iteration;
import java.util.ArrayList;
import java.util.List;
import org.springframework.stereotype.Component;

@Component
class Imports {

    final List<String> rows = new ArrayList<>();
    boolean refusesC = true;

    @Job
    Iteration<String> load() {
        return Iteration.over(List.of("a", "b", "c", "d")).each(this::load);
    }

    private void load(String row) {
        if (row.equals("c") && refusesC) {
            throw new IllegalStateException("no c");
        }
        rows.add(row);
    }
}
