package dev.jobs.redis;

import java.util.List;
import java.util.Random;

/** Chance that can be had again, by its seed. */
record Dice(Random random) {

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
