/** Jobs that another version of the application stored or can run: upcasters and contracts. */
@NullMarked
package dev.jobs.versions;

import org.jspecify.annotations.NullMarked;
