package dev.sallyport.gateway;

import dev.sallyport.audit.ThinnedRecorder;
import dev.sallyport.config.Limits;
import dev.sallyport.egress.JsonRoom;
import dev.sallyport.forge.ApiDoors;
import dev.sallyport.http.ConnectionTotal;
import dev.sallyport.http.Door;
import dev.sallyport.http.RequestQuota;
import dev.sallyport.session.UsageMeter;
import dev.sallyport.upstream.Client;
import dev.sallyport.upstream.Dialer;
import io.netty.channel.EventLoopGroup;

/// What all sessions of a gateway have in common.
record Shared(
        EventLoopGroup loops,
        Limits limits,
        Door frontDoor,
        Dialer dialer,
        Client client,
        ThinnedRecorder recorder,
        CleanRecorder clean,
        Denials denials,
        UsageMeter meter,
        RequestQuota.Total requests,
        ConnectionTotal connections,
        JsonRoom json,
        ApiDoors apis) {}
