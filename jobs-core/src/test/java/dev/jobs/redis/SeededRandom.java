package dev.jobs.redis;

import java.util.List;
import java.util.Random;

/** Random choices, repeatable by a seed. */
record SeededRandom(Random random) {

    <T> T any(List<T> from) {
        return from.get(random.nextInt(from.size()));
    }

    boolean chance(int percent) {
        return random.nextInt(100) < percent;
    }

    int below(int bound) {
        return random.nextInt(bound);
    }
}
