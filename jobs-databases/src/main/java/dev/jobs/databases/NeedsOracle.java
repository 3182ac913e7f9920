package dev.jobs.databases;

import dev.jobs.proof.Requires;
import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.Tag;

/** A test with {@link Database#oracle}. Only the proof runs it, and only where somebody has said where the server is. */
@Documented
@Inherited
@Target({ElementType.TYPE, ElementType.METHOD})
@Retention(RetentionPolicy.RUNTIME)
@Tag("database")
@Requires(check = "[ -n \"$JOBS_ORACLE\" ]", install = "JOBS_ORACLE with the URL of a server of Oracle")
public @interface NeedsOracle {

    /** The environment variable with the URL of JDBC, with the user and the password. */
    String URL = "JOBS_ORACLE";
}
