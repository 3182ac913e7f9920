/** The progress of batches for the web pages of an application; see {@link dev.jobs.spring.web.BatchProgress}. */
@NullMarked
package dev.jobs.spring.web;

import org.jspecify.annotations.NullMarked;
