/** Requests, operations and answers, in every kind of application. */
@NullMarked
package dev.jobs.dashboard.web;

import org.jspecify.annotations.NullMarked;
