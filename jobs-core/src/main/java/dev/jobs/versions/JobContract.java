package dev.jobs.versions;

import dev.jobs.ContractTerm;
import dev.jobs.JobDefinition;
import dev.jobs.JobRegistry;
import dev.jobs.JobRules;
import dev.jobs.codec.ParameterType;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The jobs of an application as the jobs that wait in Redis need them: their names, and the types and declared values
 * of their parameters, their retry rules and last words. A file with the contract of the released version, compared in a
 * test, keeps a build from stranding waiting jobs.
 *
 * <pre>{@code
 * @Test
 * void waitingJobsOfTheReleasedVersionCanRun() {
 *     JobContract.of(registry).assertCompatibleWith(Path.of("src/test/resources/jobs.contract"));
 * }
 * }</pre>
 *
 * <p>Names of parameters, queues and the inside of records are not compared. No retry rule and no last word keeps a job
 * from running: what is other about them is logged, and breaks nothing. Immutable.
 */
public final class JobContract {

    /** The system property that, if {@code true}, writes the file instead of comparing it. */
    public static final String WRITE = "jobs.contract.write";

    private static final String HEADER =
            "# The jobs that may wait in Redis. JobContract compares this file and writes it with -D" + WRITE
                    + "=true: do so at each release.";

    private static final Logger log = LoggerFactory.getLogger(JobContract.class);

    private final List<Entry> entries;
    private final TreeSet<String> upcast;

    /** @param whenMissing JSON text; null if the argument must be there */
    private record Parameter(
            String name, String type, @Nullable String whenMissing) {}

    /** @param terms what features say of it */
    private record Entry(
            String name,
            List<String> aliases,
            String queue,
            List<Parameter> parameters,
            int ignored,
            List<ContractTerm> terms) {

        static Entry of(JobDefinition job) {
            List<Parameter> parameters = new ArrayList<>();
            for (ParameterType each : job.parameters()) {
                parameters.add(new Parameter(each.name(), each.type().getTypeName(), each.whenMissing()));
            }
            List<String> names = job.allNames();
            String queue = String.valueOf(job.options().get("queue"));
            List<ContractTerm> terms = JobRules.all().stream()
                    .flatMap(rule -> rule.terms(job).stream())
                    .toList();
            return new Entry(
                    job.name(), names.subList(1, names.size()), queue, parameters, job.ignoredArguments(), terms);
        }

        @Nullable String term(String word) {
            return terms.stream()
                    .filter(each -> each.word().equals(word))
                    .map(ContractTerm::text)
                    .findFirst()
                    .orElse(null);
        }

        /** What else reads an argument, for the message that jobs can't run for want of it. */
        String readersOf(int argument) {
            return terms.stream()
                    .filter(each -> each.arguments() > argument)
                    .map(each -> " The " + each.word().replace('-', ' ') + " " + each.text()
                            + " can't be called for these jobs either.")
                    .collect(Collectors.joining());
        }

        List<String> names() {
            List<String> names = new ArrayList<>(List.of(name));
            names.addAll(aliases);
            return names;
        }
    }

    private JobContract(List<Entry> entries, TreeSet<String> upcast) {
        this.entries = entries;
        this.upcast = upcast;
    }

    /** The contract of all jobs of an application. */
    public static JobContract of(JobRegistry registry) {
        List<Entry> entries = registry.definitions().stream()
                .map(Entry::of)
                .sorted(Comparator.comparing(Entry::name))
                .toList();
        return new JobContract(entries, new TreeSet<>(registry.upcastNames()));
    }

    /** The text of the file, the same for the same jobs. */
    public String text() {
        StringBuilder text = new StringBuilder(HEADER).append('\n');
        for (Entry entry : entries) {
            text.append("job ").append(entry.name()).append('\n');
            entry.aliases()
                    .forEach(alias -> text.append("  alias ").append(alias).append('\n'));
            text.append("  queue ").append(entry.queue()).append('\n');
            for (Parameter each : entry.parameters()) {
                text.append("  parameter ").append(each.name()).append(" : ").append(each.type());
                text.append(each.whenMissing() == null ? "" : " = " + each.whenMissing())
                        .append('\n');
            }
            if (entry.ignored() > 0) {
                text.append("  ignored ").append(entry.ignored()).append('\n');
            }
            for (ContractTerm each : entry.terms()) {
                text.append("  ")
                        .append(each.word())
                        .append(' ')
                        .append(each.text())
                        .append('\n');
            }
        }
        upcast.forEach(name -> text.append("upcast ").append(name).append('\n'));
        return text.toString();
    }

    /**
     * Compares these jobs with those of the version that wrote a file. Writes the file, and compares nothing, if it is
     * missing or the system property {@value #WRITE} is {@code true}. Jobs and names that the file doesn't have are
     * fine, and become part of the contract when it is written again. Logs {@link #changesSince} if there are any.
     *
     * @throws AssertionError if jobs of that version could not run: a name that is gone, a parameter of another type or
     *     without a declared value, an argument that nothing takes
     * @throws UncheckedIOException if the file can't be read or written
     */
    public void assertCompatibleWith(Path file) {
        try {
            if (Boolean.getBoolean(WRITE) || Files.notExists(file)) {
                Path folder = file.toAbsolutePath().getParent();
                Files.createDirectories(Objects.requireNonNull(folder));
                Files.writeString(file, text());
                return;
            }
            JobContract former = parse(Files.readAllLines(file));
            List<String> breaks = breaksOf(former);
            if (!breaks.isEmpty()) {
                throw new AssertionError("Jobs that wait since the version of " + file + " could not run:\n  - "
                        + String.join("\n  - ", breaks)
                        + "\nIf no such job can wait any more, write the file again with -D" + WRITE + "=true.");
            }
            List<String> changes = changesOf(former);
            if (!changes.isEmpty()) {
                log.info(
                        "Jobs that wait since the version of {} can run. What changes for them:\n  - {}",
                        file,
                        String.join("\n  - ", changes));
            }
        } catch (IOException e) {
            throw new UncheckedIOException("The contract " + file + " can't be read or written", e);
        }
    }

    /**
     * What is other for jobs of the version that wrote a file although they can run, in one or two sentences for each
     * change: another number of retries, another retry rule, a last word that is gone. Empty if nothing is.
     *
     * @throws UncheckedIOException if the file can't be read
     */
    public List<String> changesSince(Path file) {
        try {
            return changesOf(parse(Files.readAllLines(file)));
        } catch (IOException e) {
            throw new UncheckedIOException("The contract " + file + " can't be read", e);
        }
    }

    private List<String> changesOf(JobContract former) {
        Map<String, Entry> known = known();
        List<String> changes = new ArrayList<>();
        for (Entry before : former.entries) {
            Entry now = upcast.contains(before.name()) ? null : known.get(before.name());
            if (now != null) {
                Stream.concat(before.terms().stream(), now.terms().stream())
                        .map(ContractTerm::word)
                        .distinct()
                        .forEach(word -> addChange(word, before, now, changes));
            }
        }
        return changes;
    }

    private static void addChange(String word, Entry before, Entry now, List<String> changes) {
        String was = before.term(word);
        String is = now.term(word);
        if (!Objects.equals(was, is)) {
            JobRules.all().stream()
                    .flatMap(rule -> Stream.ofNullable(rule.changed(word, was, is)))
                    .forEach(change -> changes.add(before.name() + ": " + change));
        }
    }

    private Map<String, Entry> known() {
        Map<String, Entry> known = new HashMap<>();
        entries.forEach(entry -> entry.names().forEach(name -> known.put(name, entry)));
        return known;
    }

    private List<String> breaksOf(JobContract former) {
        Map<String, Entry> known = known();
        List<String> breaks = new ArrayList<>();
        for (Entry before : former.entries) {
            for (String name : before.names()) {
                if (!upcast.contains(name)) {
                    compare(name, before, known.get(name), breaks);
                }
            }
        }
        for (String name : former.upcast) {
            if (!upcast.contains(name) && !known.containsKey(name)) {
                breaks.add(gone(name));
            }
        }
        return breaks;
    }

    private static String gone(String name) {
        return "The name " + name + " is gone. Add it to the aliases of the job that runs in its place, or add a"
                + " JobUpcaster for it.";
    }

    private static void compare(String name, Entry before, @Nullable Entry now, List<String> breaks) {
        if (now == null) {
            breaks.add(gone(name));
            return;
        }
        int both = Math.min(before.parameters().size(), now.parameters().size());
        for (int i = 0; i < both; i++) {
            Parameter old = before.parameters().get(i);
            Parameter present = now.parameters().get(i);
            String which = "Parameter " + (i + 1) + " (" + present.name() + ") of " + name;
            if (!old.type().equals(present.type())) {
                breaks.add(which + " was " + old.type() + " and is " + present.type()
                        + ". Keep the type, or add a JobUpcaster for " + name + "." + now.readersOf(i));
            } else if (old.whenMissing() != null && present.whenMissing() == null) {
                breaks.add(which + " had a value for jobs without its argument, and has none. Declare it again with"
                        + " @JobParam, as an Optional, or as @Nullable." + now.readersOf(i));
            }
        }
        for (int i = both; i < now.parameters().size(); i++) {
            Parameter added = now.parameters().get(i);
            if (added.whenMissing() == null) {
                breaks.add("The parameter " + added.name() + " of " + name + " was added without a value for jobs that"
                        + " don't have it. Declare it with @JobParam(defaultValue = \"…\"), as an Optional, or as"
                        + " @Nullable." + now.readersOf(i));
            }
        }
        int surplus = before.parameters().size() - now.parameters().size();
        if (surplus > now.ignored()) {
            breaks.add(name + " takes " + surplus + " arguments fewer than before. If the last parameters were removed,"
                    + " set @Job(ignoredArguments = " + surplus + "); else add a JobUpcaster for " + name + "."
                    + now.readersOf(0));
        }
    }

    private static JobContract parse(List<String> lines) {
        List<Entry> entries = new ArrayList<>();
        TreeSet<String> upcast = new TreeSet<>();
        for (String line : lines) {
            String text = line.strip();
            int blank = text.indexOf(' ');
            if (blank < 0 || text.startsWith("#")) {
                continue;
            }
            String rest = text.substring(blank + 1);
            Entry last = entries.isEmpty() ? null : entries.get(entries.size() - 1);
            switch (text.substring(0, blank)) {
                case "job" ->
                    entries.add(new Entry(rest, new ArrayList<>(), "", new ArrayList<>(), 0, new ArrayList<>()));
                case "upcast" -> upcast.add(rest);
                case "alias" -> Objects.requireNonNull(last).aliases().add(rest);
                case "parameter" -> Objects.requireNonNull(last).parameters().add(parameter(rest));
                case "queue", "ignored" -> {
                    // they bind nothing
                }
                default -> {
                    if (last != null) {
                        last.terms().add(new ContractTerm(text.substring(0, blank), rest, 0));
                    }
                }
            }
        }
        return new JobContract(entries, upcast);
    }

    private static Parameter parameter(String text) {
        int type = text.indexOf(" : ");
        int value = text.indexOf(" = ");
        String name = text.substring(0, Math.max(0, type));
        return value < 0
                ? new Parameter(name, text.substring(type + 3), null)
                : new Parameter(name, text.substring(type + 3, value), text.substring(value + 3));
    }
}
