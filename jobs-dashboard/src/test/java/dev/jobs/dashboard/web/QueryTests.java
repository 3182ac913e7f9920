package dev.jobs.dashboard.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class QueryTests {

    @ParameterizedTest
    @CsvSource({
        "job=a, a",
        "x=1&job=a&job=b, a",
        "job=, ''",
        "job, ''",
        "job=a=b, a=b",
        "j%6fb=%C3%A9+%2B%26, é +&",
        "job=%F0%9F%8C%B3, 🌳",
        "jobs=a,",
        "'',"
    })
    void findsAParameter(String query, String value) {
        assertThat(Query.parameter(query, "job")).isEqualTo(value);
    }

    @Test
    void hasNoParametersWithoutAQuery() {
        assertThat(Query.parameter(null, "job")).isNull();
    }

    @ParameterizedTest
    @ValueSource(strings = {"job=%", "job=%4", "job=%zz", "job=%ff%fe", "job=%C3", "job=é", "%=x&job=a"})
    void refusesMalformedOnes(String query) {
        assertThatIllegalArgumentException().isThrownBy(() -> Query.parameter(query, "job"));
    }
}
