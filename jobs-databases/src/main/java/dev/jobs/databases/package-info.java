/** Real database servers for the tests of modules with tables. */
@NullMarked
package dev.jobs.databases;

import org.jspecify.annotations.NullMarked;
