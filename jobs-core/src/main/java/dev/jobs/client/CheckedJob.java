package dev.jobs.client;

import dev.jobs.Payload;

/** A payload that may be stored, and those of its members that are asked for again, since each time they would be decoded anew. */
record CheckedJob(Payload payload, String name, String queue, String jid) {}
