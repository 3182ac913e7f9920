package dev.jobs;

import dev.jobs.limits.Limit;
import dev.jobs.unique.Unique;
import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks a parameter of a {@link Job} method as confidential: the dashboard, its API and log lines show {@code •••}
 * instead of the argument, also where it appears in the message of a failure or in another member of the job, in
 * whatever case and with whatever accents, separators and escapes. A text that quotes one of fewer than four characters
 * is hidden whole. The argument is stored in Redis unmasked, and the job receives it unmasked. A parameter is also marked
 * where a method marks it that the job's method overrides or implements.
 *
 * <p>Keys are shown as they are. So a {@link Job#key()} or {@link Limit#key()} that names a marked parameter is refused
 * at start; that of {@link Unique} may name one, since only its digest is stored, which is not shown either. Don't pass
 * such an argument as the key of a call.
 *
 * <p>Beans of type {@link ArgumentMask} mask the arguments of jobs that this application doesn't know.
 */
@Documented
@Target(ElementType.PARAMETER)
@Retention(RetentionPolicy.RUNTIME)
public @interface Masked {

    /**
     * Whether no text that an execution of the job leaves is kept or logged: messages of failures and of their causes,
     * lines of its log, messages to its batch. Readers see the class of the failure and its frames. For values that a
     * message may tell in other words, such as the owner of an account.
     */
    boolean dropTexts() default false;
}
