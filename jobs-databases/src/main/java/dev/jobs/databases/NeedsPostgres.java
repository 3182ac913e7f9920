package dev.jobs.databases;

import dev.jobs.proof.Requires;
import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.Tag;

/** A test with {@link Database#postgres}, whose binaries are for some systems, and refuse to run as root. Only the proof runs it. */
@Documented
@Inherited
@Target({ElementType.TYPE, ElementType.METHOD})
@Retention(RetentionPolicy.RUNTIME)
@Tag("database")
@Requires(
        check = "case $(uname -sm) in 'Linux x86_64' | Darwin*) ;; *) exit 1 ;; esac",
        install = "Linux on x86-64 for PostgreSQL")
@Requires(
        check = "[ $(id -u) != 0 ] || unshare -U true",
        install = "util-linux and user namespaces for PostgreSQL as root")
public @interface NeedsPostgres {}
