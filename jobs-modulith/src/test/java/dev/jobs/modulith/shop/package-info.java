/** A modular application: the module {@code orders} knows nothing of jobs, nor of {@code shipping}. */
package dev.jobs.modulith.shop;
