package dev.jobs.deaths;

import dev.jobs.Companion;
import dev.jobs.ContractTerm;
import dev.jobs.Internal;
import dev.jobs.JobAnnotations;
import dev.jobs.JobDefinition;
import dev.jobs.JobRule;
import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Finds the method that is {@link OnDeath} of a job. */
@Internal
public final class DeathRules implements JobRule {

    /** The term of contracts. */
    private static final String TERM = "last-word";

    /** The names of the class and the method that is called when a job dies; null if there is none. */
    public static @Nullable String methodOf(JobDefinition job) {
        DeathMethod method = job.rule(DeathMethod.class);
        return method == null ? null : method.toString();
    }

    @Override
    public List<Class<? extends Annotation>> companions() {
        return List.of(OnDeath.class);
    }

    @Override
    public List<ContractTerm> terms(JobDefinition job) {
        DeathMethod method = job.rule(DeathMethod.class);
        return method == null ? List.of() : List.of(new ContractTerm(TERM, method.signature(), method.arguments()));
    }

    /** One that is added, or takes others of the arguments, is called for jobs that wait, too. */
    @Override
    public @Nullable String changed(String word, @Nullable String before, @Nullable String now) {
        return word.equals(TERM) && now == null
                ? "the last word " + before + " is gone. Nothing is called when jobs that wait are given up."
                : null;
    }

    @Override
    public @Nullable Object read(JobDefinition job, JobAnnotations annotations) {
        if (!annotations.of(OnDeath.class).isEmpty()) {
            throw annotations.wrong("it is @OnDeath as well", "Put @OnDeath on another method of the class.");
        }
        DeathMethod found = null;
        for (Companion each : annotations.companions(OnDeath.class)) {
            if (isFor(each, job, annotations.search())) {
                DeathMethod method = DeathMethod.of(each, job);
                if (found != null) {
                    throw annotations.wrong(
                            "both " + found.shortName() + " and " + method.shortName() + " are @OnDeath of it",
                            "Leave one of them, and let it call the other.");
                }
                found = method;
            }
        }
        return found;
    }

    private static boolean isFor(Companion companion, JobDefinition job, JobAnnotations.Search search) {
        List<String> names =
                List.of(search.of(companion.method(), OnDeath.class).get(0).value());
        SortedSet<String> known =
                search.family().jobs().stream().map(Method::getName).collect(Collectors.toCollection(TreeSet::new));
        if (names.isEmpty() && known.size() > 1) {
            throw DeathMethod.wrong(
                    companion,
                    job,
                    "it doesn't say of which job, and its class has several: " + String.join(", ", known),
                    "Name their methods, as in @OnDeath(\"" + known.first() + "\").");
        }
        for (String each : names) {
            if (!known.contains(each)) {
                throw DeathMethod.wrong(
                        companion,
                        job,
                        "its class has no @Job method '" + each + "'",
                        "Name a method that has @Job: " + String.join(", ", known) + ".");
            }
        }
        return names.isEmpty() || names.contains(job.method().getName());
    }
}
