package dev.jobs.dashboard.servlet;

import dev.jobs.dashboard.Kind;
import dev.jobs.dashboard.server.PagesIT;
import dev.jobs.embeddedredis.EmbeddedRedis;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** Only a servlet has a path of its own below the context path. */
class ServletPathIT {

    @AutoClose
    static final EmbeddedRedis server = EmbeddedRedis.start();

    @Test
    void worksBelowAServletPath() {
        PagesIT.worksAt(
                Kind.SERVLET,
                server,
                "/shop/app/jobs",
                "server.servlet.context-path=/shop",
                "spring.mvc.servlet.path=/app");
    }
}
