package dev.sallyport.config;

import dev.sallyport.policy.MalformedNameException;

/// What a word becomes, if it is a name of that kind.
interface NameParser<T> {
    T parse(String text) throws MalformedNameException;
}
