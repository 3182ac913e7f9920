package dev.jobs.spring.autoconfigure.metrics;

import io.micrometer.observation.ObservationRegistry;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import org.apache.catalina.Context;
import org.apache.catalina.LifecycleException;
import org.apache.catalina.Wrapper;
import org.apache.catalina.startup.Tomcat;
import org.apache.tomcat.util.descriptor.web.FilterDef;
import org.apache.tomcat.util.descriptor.web.FilterMap;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.context.support.AnnotationConfigWebApplicationContext;
import org.springframework.web.filter.ServerHttpObservationFilter;
import org.springframework.web.servlet.DispatcherServlet;
import org.springframework.web.servlet.config.annotation.EnableWebMvc;

/** A web application with one address, {@code POST /orders}, whose requests are observed as Spring Boot does it. */
final class OrderServer implements AutoCloseable {

    private final Tomcat tomcat = new Tomcat();

    /** @param work what a request does */
    OrderServer(Path directory, ObservationRegistry observations, Runnable work) throws LifecycleException {
        tomcat.setBaseDir(directory.toString());
        tomcat.setPort(0);
        tomcat.getConnector().setProperty("address", "127.0.0.1");
        Context context = tomcat.addContext("", directory.toString());
        AnnotationConfigWebApplicationContext beans = new AnnotationConfigWebApplicationContext();
        beans.register(Web.class);
        beans.addBeanFactoryPostProcessor(factory -> factory.registerSingleton("orders", new Orders(work)));
        Wrapper servlet = Tomcat.addServlet(context, "dispatcher", new DispatcherServlet(beans));
        servlet.setLoadOnStartup(1);
        servlet.addMapping("/");
        FilterDef filter = new FilterDef();
        filter.setFilterName("observations");
        filter.setFilter(new ServerHttpObservationFilter(observations));
        context.addFilterDef(filter);
        FilterMap everywhere = new FilterMap();
        everywhere.setFilterName("observations");
        everywhere.addURLPattern("/*");
        context.addFilterMap(everywhere);
        tomcat.start();
    }

    @EnableWebMvc
    static class Web {}

    @RestController
    static class Orders {

        private final Runnable work;

        Orders(Runnable work) {
            this.work = work;
        }

        @PostMapping("/orders")
        void order() {
            work.run();
        }
    }

    /** Sends a request and returns the status of the answer. */
    int order() throws IOException, InterruptedException {
        URI address = URI.create("http://127.0.0.1:" + tomcat.getConnector().getLocalPort() + "/orders");
        return HttpClient.newHttpClient()
                .send(
                        HttpRequest.newBuilder(address)
                                .POST(BodyPublishers.noBody())
                                .build(),
                        BodyHandlers.discarding())
                .statusCode();
    }

    @Override
    public void close() throws LifecycleException {
        tomcat.stop();
        tomcat.destroy();
    }
}
