package dev.jobs.shards.spring;

import dev.jobs.JobStoreException;
import dev.jobs.admin.Books;
import dev.jobs.admin.Stats;
import dev.jobs.shards.spring.ApplicationShards.SuppliedShard;
import dev.jobs.spring.autoconfigure.endpoint.InstallationOperations;
import dev.jobs.spring.autoconfigure.operations.Section;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;

/** Asks the right shards, and puts their answers together. */
final class EndpointShards {

    private static final String SHARDS = "shards";

    private final ApplicationShards own;
    private final Map<String, InstallationOperations> operations;
    private final Set<String> alike;
    private final @Nullable ShardTransfers transfers;

    /** What is done in a shard. */
    @FunctionalInterface
    interface Operation extends Function<InstallationOperations, WebEndpointResponse<Object>> {}

    /**
     * The numbers of all shards at a glance.
     *
     * @param stats the sums over the shards that answered
     * @param shards those of each one, home first
     */
    record Sums(Stats stats, List<Figures> shards) {}

    /**
     * The numbers of a shard.
     *
     * @param node of a cluster that has it; null if it isn't on a cluster
     * @param figures null if they can't be read
     * @param error why they can't; null if they could
     */
    record Figures(
            String name,
            String address,
            @Nullable String node,
            InstallationOperations.@Nullable Overview figures,
            @Nullable String error) {}

    /**
     * @param operations those of each shard, home first
     * @param alike the sections that say the same in all shards
     */
    EndpointShards(
            ApplicationShards own,
            Map<String, InstallationOperations> operations,
            List<Section> alike,
            @Nullable ShardTransfers transfers) {
        this.own = own;
        this.alike = alike.stream().map(Section::name).collect(Collectors.toSet());
        this.transfers = transfers;
        this.operations = new LinkedHashMap<>(operations);
    }

    /** Whether an operation is about one shard: the only one, or one that the caller names. */
    boolean isOne(@Nullable String shard) {
        return shard != null || operations.size() == 1;
    }

    /** Whether all shards say the same in a section, since it is about the application's code. */
    boolean areAlike(String section) {
        return alike.contains(section);
    }

    /** @param shard null for home */
    WebEndpointResponse<Object> in(@Nullable String shard, Operation operation) {
        InstallationOperations found = operations.get(shard == null ? own.home() : shard);
        return found == null
                ? InstallationOperations.problem(
                        WebEndpointResponse.STATUS_NOT_FOUND,
                        "There is no shard '" + shard + "': the shards are " + operations.keySet())
                : operation.apply(found);
    }

    WebEndpointResponse<Object> overview() {
        Map<String, SuppliedShard> all = new LinkedHashMap<>();
        own.all().forEach(each -> all.put(each.name(), each));
        List<Figures> figures = List.copyOf(own.ask(all, this::figures, (name, time) -> late(all.get(name), time))
                .values());
        List<Stats> read = figures.stream()
                .map(Figures::figures)
                .filter(Objects::nonNull)
                .map(InstallationOperations.Overview::stats)
                .toList();
        return read.isEmpty()
                ? new WebEndpointResponse<>(Map.of(SHARDS, figures), WebEndpointResponse.STATUS_SERVICE_UNAVAILABLE)
                : InstallationOperations.found(
                        new Sums(read.stream().reduce(EndpointShards::sum).orElseThrow(), figures));
    }

    private Figures figures(SuppliedShard shard) {
        try {
            InstallationOperations.Overview read = operations(shard.name()).numbers();
            return new Figures(shard.name(), shard.address(), shard.node(), read, null);
        } catch (JobStoreException e) {
            return new Figures(shard.name(), shard.address(), null, null, String.valueOf(e.getMessage()));
        }
    }

    private static Figures late(@Nullable SuppliedShard shard, Duration time) {
        String name = shard == null ? "" : shard.name();
        return new Figures(name, shard == null ? "" : shard.address(), null, null, noAnswer(time));
    }

    private static String noAnswer(Duration time) {
        return "No answer within " + time.toMillis() + " ms";
    }

    private InstallationOperations operations(String shard) {
        return Objects.requireNonNull(operations.get(shard));
    }

    private static Stats sum(Stats one, Stats other) {
        return new Stats(
                one.processed() + other.processed(),
                one.failed() + other.failed(),
                one.enqueued() + other.enqueued(),
                one.parked() + other.parked(),
                one.scheduled() + other.scheduled(),
                one.retries() + other.retries(),
                one.dead() + other.dead(),
                one.busy() + other.busy(),
                one.processes() + other.processes(),
                sum(one.books(), other.books()));
    }

    /** Null if one of them can't be read: a sum of the others would look as if jobs were missing. */
    private static @Nullable Books sum(@Nullable Books one, @Nullable Books other) {
        return one == null || other == null
                ? null
                : new Books(
                        one.claimed() + other.claimed(),
                        one.acked() + other.acked(),
                        one.moved() + other.moved(),
                        one.requeued() + other.requeued(),
                        one.recovered() + other.recovered(),
                        one.poisoned() + other.poisoned(),
                        one.inFlight() + other.inFlight());
    }

    /** Does it in each shard. The answer has those of all; it is an error only if none succeeded. */
    WebEndpointResponse<Object> inEach(Operation operation) {
        return inEach(operations.keySet(), operation);
    }

    private WebEndpointResponse<Object> inEach(Collection<String> names, Operation operation) {
        Map<String, @Nullable Object> bodies = new LinkedHashMap<>();
        int status = 0;
        for (Map.Entry<String, WebEndpointResponse<Object>> each :
                answers(names, operation).entrySet()) {
            WebEndpointResponse<Object> answer = each.getValue();
            bodies.put(each.getKey(), answer.getBody());
            status = status == 0 ? answer.getStatus() : Math.min(status, answer.getStatus());
        }
        return new WebEndpointResponse<>(Map.of(SHARDS, bodies), status);
    }

    private Map<String, WebEndpointResponse<Object>> answers(Collection<String> names, Operation operation) {
        Map<String, InstallationOperations> asked = new LinkedHashMap<>(operations);
        asked.keySet().retainAll(names);
        return own.ask(
                asked,
                operation,
                (name, time) ->
                        InstallationOperations.problem(WebEndpointResponse.STATUS_SERVICE_UNAVAILABLE, noAnswer(time)));
    }

    /** Whether an action is about the move of a queue, in which two shards have a part. */
    boolean isTransfer(String section, String action) {
        return section.equals(InstallationOperations.QUEUES)
                && operations.size() > 1
                && transfers != null
                && transfers.isAction(action);
    }

    /**
     * Begins the move of a queue or goes on with it, looks at it, or ends it.
     *
     * @param shard null, as properties say from where to where the queue moves
     */
    WebEndpointResponse<Object> transfer(String queue, String action, boolean dead, @Nullable String shard) {
        if (shard != null) {
            return InstallationOperations.problem(
                    WebEndpointResponse.STATUS_BAD_REQUEST,
                    "The action '" + action + "' takes no 'shard': jobs.moving-queues says from where the queue moves");
        }
        return InstallationOperations.answer(() ->
                InstallationOperations.found(Objects.requireNonNull(transfers).act(queue, action, dead)));
    }

    /** Does it in those shards that have what it is about. */
    WebEndpointResponse<Object> where(String section, String name, Operation operation) {
        List<String> queued =
                section.equals(InstallationOperations.QUEUES) ? own.layout().having(name) : List.of();
        if (!queued.isEmpty()) {
            return inSome(queued, operation);
        }
        if (section.equals(InstallationOperations.PROCESSES) && name.equals(InstallationOperations.SELF)) {
            List<String> working = operations.entrySet().stream()
                    .filter(each -> each.getValue().hasWorker())
                    .map(Map.Entry::getKey)
                    .toList();
            return inEach(working.isEmpty() ? List.of(own.home()) : working, operation);
        }
        Map<String, WebEndpointResponse<Object>> found = answers(operations.keySet(), each -> each.one(section, name));
        List<String> having = withStatus(found, WebEndpointResponse.STATUS_OK);
        List<String> away = withStatus(found, WebEndpointResponse.STATUS_SERVICE_UNAVAILABLE);
        if (having.isEmpty()) {
            return Objects.requireNonNull(
                    found.get(away.isEmpty() ? found.keySet().iterator().next() : away.get(0)));
        }
        if (section.equals(InstallationOperations.LIMITS)) {
            having.addAll(away); // every worker declares all limits in each of its shards, so that one may have it, too
            return inSome(having, operation);
        }
        return in(having.get(0), operation);
    }

    private WebEndpointResponse<Object> inSome(List<String> names, Operation operation) {
        return names.size() == 1 ? in(names.get(0), operation) : inEach(names, operation);
    }

    private static List<String> withStatus(Map<String, WebEndpointResponse<Object>> answers, int status) {
        return answers.entrySet().stream()
                .filter(each -> each.getValue().getStatus() == status)
                .map(Map.Entry::getKey)
                .collect(Collectors.toCollection(ArrayList::new));
    }
}
