package dev.jobs.codec;

import java.lang.reflect.Type;

/** The name of one parameter of a job method, and the type to which its argument is converted. */
public record ParameterType(String name, Type type) {}
