package dev.jobs.store;

import java.util.List;
import java.util.Random;

/** Random choices, repeatable by a seed. */
public record SeededRandom(Random random) {

    public <T> T any(List<T> from) {
        return from.get(random.nextInt(from.size()));
    }

    public boolean chance(int percent) {
        return random.nextInt(100) < percent;
    }

    public int below(int bound) {
        return random.nextInt(bound);
    }
}
