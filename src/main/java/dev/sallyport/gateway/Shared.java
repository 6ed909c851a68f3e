package dev.sallyport.gateway;

import dev.sallyport.audit.Recorder;
import dev.sallyport.config.Limits;
import dev.sallyport.http.Door;
import dev.sallyport.http.RequestQuota;
import io.netty.channel.EventLoopGroup;

/// What all sessions of a gateway have in common.
///
/// @param elsewhere serves connections to addresses other than 127.0.0.1
record Shared(
        EventLoopGroup loops,
        Limits limits,
        Door frontDoor,
        Door elsewhere,
        Recorder recorder,
        RequestQuota.Total requests,
        ConnectionTotal connections) {}
