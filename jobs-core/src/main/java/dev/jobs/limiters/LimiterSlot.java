package dev.jobs.limiters;

import dev.jobs.Internal;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A slot of a concurrent limiter.
 *
 * @param name by which it is taken and given back; that of a job begins with its incarnation and a line break
 * @param hold when it ends by itself; null for that of a job, which is void without its incarnation
 */
@Internal
public record LimiterSlot(String name, @Nullable Duration hold) {}
