/** Lets a Spring Boot application that says nothing about Redis have one of its own. */
@NullMarked
package dev.jobs.embeddedredis.autoconfigure;

import org.jspecify.annotations.NullMarked;
