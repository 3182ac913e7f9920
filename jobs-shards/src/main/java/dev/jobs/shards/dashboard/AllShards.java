package dev.jobs.shards.dashboard;

import dev.jobs.JobStoreException;
import dev.jobs.JobsException;
import dev.jobs.dashboard.web.Problem;
import dev.jobs.shards.spring.SideBySide;
import dev.jobs.shards.spring.SideBySide.NoAnswer;
import dev.jobs.shards.spring.SideBySide.Patience;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The shards as the view over all of them asks and tells them, side by side. One that is silent costs a second once, and
 * nothing from then on until it answers again.
 */
final class AllShards {

    /**
     * A shard that hasn't answered so far has enough time to answer, or to refuse a connection, if it is there again. For
     * an action people wait, and want to know how it ended.
     */
    static final Patience PATIENCE =
            new Patience(Duration.ofSeconds(1), Duration.ofMillis(50), Duration.ofSeconds(5), 32);

    private static final Logger log = LoggerFactory.getLogger(AllShards.class);

    /**
     * What came of asking a shard: either is null.
     *
     * @param value never null if there was no problem
     */
    record Outcome<T>(
            ShardPart shard, @Nullable T value, @Nullable Problem problem) {}

    /** A shard that is missing in an answer, and why. */
    record Missing(ShardPart shard, String code, String message) {}

    private final List<ShardPart> all;
    private final SideBySide sideBySide;

    /** @param all home first */
    AllShards(List<ShardPart> all, SideBySide sideBySide) {
        this.all = List.copyOf(all);
        this.sideBySide = sideBySide;
    }

    /** Home first. */
    List<ShardPart> all() {
        return all;
    }

    /** Those of these names, in the order of all. */
    List<ShardPart> named(Iterable<String> names) {
        List<ShardPart> named = new ArrayList<>(all);
        List<String> wanted = new ArrayList<>();
        names.forEach(wanted::add);
        named.removeIf(each -> !wanted.contains(each.name()));
        return named;
    }

    /** The answers of all, in their order. */
    <T> List<Outcome<T>> ask(Function<ShardPart, T> question) {
        return ask(all, question);
    }

    /** The answers of some, in their order. */
    <T> List<Outcome<T>> ask(List<ShardPart> some, Function<ShardPart, T> question) {
        Map<String, ShardPart> asked = byName(some);
        return outcomes(asked, sideBySide.ask(asked, question));
    }

    /**
     * Acts in some; also in one that has not answered so far.
     *
     * @param unbegun told of each shard in which it was not even tried
     */
    <T> List<Outcome<T>> act(List<ShardPart> some, Function<ShardPart, T> deed, Consumer<ShardPart> unbegun) {
        Map<String, ShardPart> told = byName(some);
        return outcomes(told, sideBySide.act(told, deed, name -> unbegun.accept(shard(told, name))));
    }

    /** Those that didn't answer. */
    static List<Missing> missing(List<? extends Outcome<?>> outcomes) {
        List<Missing> missing = new ArrayList<>();
        for (Outcome<?> each : outcomes) {
            Problem problem = each.problem();
            if (problem != null) {
                missing.add(new Missing(each.shard(), problem.code(), problem.text()));
            }
        }
        return missing;
    }

    /**
     * Those that didn't do it.
     *
     * @throws Problem that of the first, if none has done it
     */
    static List<Missing> missingUnlessAll(List<? extends Outcome<?>> outcomes) {
        List<Missing> missing = missing(outcomes);
        Problem first = outcomes.get(0).problem();
        if (first != null && missing.size() == outcomes.size()) {
            throw first;
        }
        return missing;
    }

    private static Map<String, ShardPart> byName(List<ShardPart> shards) {
        Map<String, ShardPart> byName = new LinkedHashMap<>();
        shards.forEach(each -> byName.put(each.name(), each));
        return byName;
    }

    private static ShardPart shard(Map<String, ShardPart> shards, String name) {
        return Objects.requireNonNull(shards.get(name));
    }

    private static <T> List<Outcome<T>> outcomes(
            Map<String, ShardPart> shards, Map<String, SideBySide.Outcome<T>> outcomes) {
        List<Outcome<T>> all = new ArrayList<>();
        outcomes.forEach((name, each) -> {
            ShardPart shard = shard(shards, name);
            Throwable failure = each.failure();
            all.add(new Outcome<>(shard, each.value(), failure == null ? null : problem(shard, failure)));
        });
        return all;
    }

    private static Problem problem(ShardPart shard, Throwable failure) {
        if (failure instanceof NoAnswer none) {
            return none.isBusy()
                    ? new Problem(
                            503,
                            "shard-busy",
                            "Shard " + shard.name() + " is asked for more at once than it can answer: try again")
                    : new Problem(503, "silent", "The Redis of shard " + shard.name() + " doesn't answer");
        }
        if (failure instanceof Problem problem) {
            return problem;
        }
        if (failure instanceof JobStoreException e) {
            return Problem.redis(e);
        }
        if (failure instanceof JobsException e) {
            return new Problem(409, "conflict", String.valueOf(e.getMessage()));
        }
        log.error("The dashboard failed to ask a shard", failure);
        return new Problem(500, "internal", "The shard can't be read; the log says why");
    }
}
