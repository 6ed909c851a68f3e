package dev.sallyport.http;

import dev.sallyport.config.Limits;

/// What the decoder of one connection goes by.
record DecodeTerms(Limits.Http limits, HeadForm form) {}
