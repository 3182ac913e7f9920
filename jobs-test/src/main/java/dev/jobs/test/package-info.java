/** Tests of an application's jobs. */
@NullMarked
package dev.jobs.test;

import org.jspecify.annotations.NullMarked;
