package dev.jobs.trash;

import dev.jobs.redis.RedisKeys;

/** The names of the keys of the trash. */
record TrashKeys(RedisKeys keys) {

    /** The deleted jobs. */
    byte[] trash() {
        return keys.key("jobs:trash");
    }

    /** How large they are. */
    byte[] bytes() {
        return keys.key("jobs:trash:bytes");
    }
}
