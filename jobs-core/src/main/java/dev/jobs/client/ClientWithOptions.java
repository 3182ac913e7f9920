package dev.jobs.client;

import dev.jobs.Internal;
import dev.jobs.InvalidJobException;
import dev.jobs.JobClient;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The methods of a client that set options. Those of a feature are in an interface over this one, in the room of the
 * feature; a client implements them all.
 */
@Internal
public interface ClientWithOptions extends JobClient {

    Options options();

    /** This client with other options. */
    ClientWithOptions with(Options changed);

    /** Tells the rule of a feature something, as {@link Options#choose} does. */
    default ClientWithOptions choose(Object choice) {
        return with(options().choose(choice));
    }

    @Override
    default JobClient at(Instant time) {
        return with(options().at(time));
    }

    @Override
    default JobClient atEach(Collection<Instant> times) {
        List<Instant> copy = new ArrayList<>(times);
        if (copy.contains(null)) {
            throw new InvalidJobException("'times' must be instants, but one of them was null");
        }
        return with(options().due(null, Collections.unmodifiableList(copy), null));
    }

    @Override
    default JobClient in(Duration delay) {
        return with(options().due(null, null, Objects.requireNonNull(delay, "'delay' must not be null")));
    }

    @Override
    default JobClient spread(Duration interval) {
        return with(options().spread(interval));
    }

    @Override
    default JobClient queue(String queue) {
        return with(options().queue(queue));
    }

    @Override
    default JobClient retry(int retries) {
        return with(options().retry(retries));
    }

    @Override
    default JobClient tags(String... tags) {
        if (Arrays.asList(tags).contains(null)) {
            throw new InvalidJobException("'tags' must be text, but one of them was null");
        }
        return with("tags", List.of(tags));
    }

    @Override
    default JobClient with(String member, @Nullable Object value) {
        return with(options().with(member, value));
    }
}
