package dev.jobs.dashboard.pages;

import dev.jobs.proof.Requires;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.Tag;

/** Tests with Node, and with what npm installs for this module. */
@Target({ElementType.TYPE, ElementType.METHOD})
@Retention(RetentionPolicy.RUNTIME)
@Tag("node")
@Requires(check = "command -v node && test -d node_modules/typescript", install = "npm ci --prefix jobs-dashboard")
@interface NodeTest {}
