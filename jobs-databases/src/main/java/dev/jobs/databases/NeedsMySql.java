package dev.jobs.databases;

import dev.jobs.proof.Requires;
import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.Tag;

/** A test with {@link Database#mysql}, whose binaries are for one system. Only the proof runs it. */
@Documented
@Inherited
@Target({ElementType.TYPE, ElementType.METHOD})
@Retention(RetentionPolicy.RUNTIME)
@Tag("database")
@Requires(check = "[ \"$(uname -sm)\" = 'Linux x86_64' ]", install = "Linux on x86-64 for MySQL")
@Requires(check = "PATH=$PATH:/sbin:/usr/sbin; ldconfig -p | grep -q 'libaio.so.1 '", install = "libaio1")
public @interface NeedsMySql {}
