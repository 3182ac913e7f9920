/** Jobs that are enqueued in transactions of Spring. */
@NullMarked
package dev.jobs.spring.autoconfigure.transactions;

import org.jspecify.annotations.NullMarked;
