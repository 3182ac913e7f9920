package dev.jobs.dashboard.servlet;

import dev.jobs.dashboard.server.RoutePaths;
import dev.jobs.dashboard.server.TakenPath;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.core.io.Resource;
import org.springframework.http.HttpMethod;
import org.springframework.web.servlet.HandlerMapping;
import org.springframework.web.servlet.function.HandlerFunction;
import org.springframework.web.servlet.function.RequestPredicate;
import org.springframework.web.servlet.function.RequestPredicates;
import org.springframework.web.servlet.function.RouterFunction;
import org.springframework.web.servlet.function.RouterFunctions;
import org.springframework.web.servlet.function.ServerRequest;
import org.springframework.web.servlet.handler.AbstractUrlHandlerMapping;
import org.springframework.web.servlet.mvc.method.RequestMappingInfoHandlerMapping;

/** Looks, when all of them are there, for mappings of the application that the dashboard would hide. */
final class ServletMappings implements SmartInitializingSingleton {

    private final String path;
    private final ListableBeanFactory beans;
    private final boolean withAncestors;
    private final HandlerMapping ours;

    /** @param withAncestors whether mappings of the contexts above count, too */
    ServletMappings(String path, ListableBeanFactory beans, boolean withAncestors, HandlerMapping ours) {
        this.path = path;
        this.beans = beans;
        this.withAncestors = withAncestors;
        this.ours = ours;
    }

    @Override
    public void afterSingletonsInstantiated() {
        TakenPath taken = new TakenPath(path);
        all(HandlerMapping.class).values().forEach(each -> find(each, taken));
        all(RouterFunction.class).forEach((name, routes) -> routes.accept(new Routes(new RoutePaths(taken, name))));
        taken.check();
    }

    private <T> Map<String, T> all(Class<T> type) {
        return withAncestors
                ? BeanFactoryUtils.beansOfTypeIncludingAncestors(beans, type, true, false)
                : beans.getBeansOfType(type, true, false);
    }

    private void find(HandlerMapping mapping, TakenPath taken) {
        if (mapping == ours) {
            return;
        }
        if (mapping instanceof RequestMappingInfoHandlerMapping methods) {
            methods.getHandlerMethods().forEach((info, method) -> info.getPatternValues()
                    .forEach(pattern -> taken.add(info.getMethodsCondition().getMethods(), pattern, method)));
        } else if (mapping instanceof AbstractUrlHandlerMapping urls) {
            urls.getHandlerMap().forEach((pattern, handler) -> taken.add(Set.of(), pattern, handler));
        }
    }

    /** Passes on what paths depend on. */
    @SuppressWarnings("overloads") // two interfaces of Spring have a method of this name each
    private record Routes(RoutePaths paths) implements RouterFunctions.Visitor, RequestPredicates.Visitor {

        @Override
        public void startNested(RequestPredicate predicate) {
            predicate.accept(this);
            paths.startNested();
        }

        @Override
        public void endNested(RequestPredicate predicate) {
            paths.endNested();
        }

        @Override
        public void route(RequestPredicate predicate, HandlerFunction<?> handler) {
            predicate.accept(this);
            paths.route();
        }

        @Override
        public void path(String pattern) {
            paths.path(pattern);
        }

        @Override
        public void startNegate() {
            paths.startNegate();
        }

        @Override
        public void endNegate() {
            paths.endNegate();
        }

        @Override
        public void resources(Function<ServerRequest, Optional<Resource>> lookup) {}

        @Override
        public void attributes(Map<String, Object> attributes) {}

        @Override
        public void unknown(RouterFunction<?> function) {}

        @Override
        public void method(Set<HttpMethod> methods) {}

        @Override
        @SuppressWarnings("removal") // as long as Spring asks for it
        public void pathExtension(String extension) {}

        @Override
        public void header(String name, String value) {}

        @Override
        public void param(String name, String value) {}

        @SuppressWarnings("MissingOverride") // Spring Framework 6 has no versions
        public void version(String version) {}

        @Override
        public void startAnd() {}

        @Override
        public void and() {}

        @Override
        public void endAnd() {}

        @Override
        public void startOr() {}

        @Override
        public void or() {}

        @Override
        public void endOr() {}

        @Override
        public void unknown(RequestPredicate predicate) {}
    }
}
