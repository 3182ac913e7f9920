/** What ends jobs from outside: cancellations, expiry and timeouts. */
@NullMarked
package dev.jobs.ends;

import org.jspecify.annotations.NullMarked;
