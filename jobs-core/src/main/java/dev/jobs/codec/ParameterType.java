package dev.jobs.codec;

import java.lang.reflect.Type;

/** What one parameter of a job method is called and which type an argument must become to fit it. */
public record ParameterType(String name, Type type) {}
