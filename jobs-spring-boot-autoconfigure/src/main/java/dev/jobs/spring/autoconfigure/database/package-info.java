/** Which database of the application has tables of jobs. */
@NullMarked
package dev.jobs.spring.autoconfigure.database;

import org.jspecify.annotations.NullMarked;
