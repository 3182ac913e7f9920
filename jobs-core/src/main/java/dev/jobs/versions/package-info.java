/** Jobs that another version of the application stored or can run: upcasters, contracts, and what live workers know. */
@NullMarked
package dev.jobs.versions;

import org.jspecify.annotations.NullMarked;
