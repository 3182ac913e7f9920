package dev.jobs.databases;

import dev.jobs.proof.Requires;
import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.Tag;

/** A test with {@link Database#mariadb}. Only the proof runs it. */
@Documented
@Inherited
@Target({ElementType.TYPE, ElementType.METHOD})
@Retention(RetentionPolicy.RUNTIME)
@Tag("database")
@Requires(
        check =
                "PATH=$PATH:/usr/sbin; command -v mariadbd && command -v mariadb-install-db && command -v my_print_defaults",
        install = "mariadb-server-core mariadb-client-core")
public @interface NeedsMariaDb {}
