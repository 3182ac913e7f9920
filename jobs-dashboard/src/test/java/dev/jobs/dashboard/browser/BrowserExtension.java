package dev.jobs.dashboard.browser;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ExtensionContext.Store;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Provides tests with the shop and the browser, one of each for all classes of a JVM. After each test, the browser must
 * not have reported any problem, such as a violation of the content security policy, nor contacted another host.
 */
final class BrowserExtension implements BeforeEachCallback, AfterEachCallback, ParameterResolver {

    private static final Namespace NAMESPACE = Namespace.create(BrowserExtension.class);
    private static final Logger log = LoggerFactory.getLogger(BrowserExtension.class);

    /** Shared by all tests; closed by JUnit at the very end. */
    private record Fixtures(Browser browser, TestShop shop) implements AutoCloseable {

        @Override
        public void close() {
            browser.close();
            shop.close();
        }
    }

    @Override
    public void beforeEach(ExtensionContext context) {
        Fixtures fixtures = fixtures(context);
        fixtures.shop().empty();
        fixtures.browser().reset();
    }

    @Override
    public void afterEach(ExtensionContext context) {
        Browser browser = fixtures(context).browser();
        if (context.getExecutionException().isPresent()) {
            browser.picture("failed-" + context.getRequiredTestClass().getSimpleName() + "-"
                    + context.getRequiredTestMethod().getName());
            log.error("What {} complained about: {}", browser, browser.complaints());
            return;
        }
        assertThat(browser.complaints()).isEmpty();
        assertThat(browser.traffic().urls())
                .noneMatch(url -> url.matches("(https?|wss?):.*") && !url.startsWith("http://127.0.0.1:"));
    }

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        Class<?> type = parameter.getParameter().getType();
        return type == Browser.class || type == TestShop.class;
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
        Fixtures fixtures = fixtures(context);
        return parameter.getParameter().getType() == Browser.class ? fixtures.browser() : fixtures.shop();
    }

    private static Fixtures fixtures(ExtensionContext context) {
        Store store = context.getRoot().getStore(NAMESPACE);
        return store.computeIfAbsent("fixtures", key -> started(), Fixtures.class);
    }

    private static Fixtures started() {
        Fixtures fixtures = new Fixtures(Browser.start(), new TestShop());
        fixtures.browser().open(fixtures.shop().link());
        return fixtures;
    }
}
