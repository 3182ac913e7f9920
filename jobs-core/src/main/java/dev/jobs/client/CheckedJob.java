package dev.jobs.client;

import dev.jobs.Payload;

/** A payload that passed the checks, with the members that are read again later: the payload would decode them anew each time. */
record CheckedJob(Payload payload, String name, String queue, String jid) {}
