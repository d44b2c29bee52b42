# A shared cache in front of `restwright serve`, for Varnish 7. What it is made of: docs/guides/caching.md
#
#   varnishd -a :8080 -f examples/caches/default.vcl -p http_gzip_support=off -s malloc,256m
vcl 4.1;

import std;

backend default {
  .host = "127.0.0.1";
  .port = "3000";
}

sub vcl_recv {
  # The server takes loopback names alone until it knows its callers.
  set req.http.Host = "127.0.0.1";

  # What is kept was told to another caller, under its id: each answer gets the id of its own request.
  if (req.http.X-Correlation-ID !~ "^[A-Za-z0-9._~:-]{1,128}$") {
    set req.http.X-Correlation-ID = std.time2integer(now, 0) + "-" + req.xid;
  }

  # Everything else goes to the server, QUERY too, which Varnish does not know.
  if (req.method != "GET" && req.method != "HEAD") {
    return (pass);
  }
  # Conditions are the server's to judge: Varnish knows neither lists of tags nor If-Match.
  if (req.http.If-Match || req.http.If-None-Match || req.http.If-Modified-Since || req.http.If-Unmodified-Since) {
    return (pass);
  }
  if (req.http.Cache-Control ~ "(?i)no-cache|no-store|max-age=0") {
    set req.hash_always_miss = true;
  }
  # With credentials too: the server says `public` of what is the same for everybody, and `private` or `no-cache` of all else.
  return (hash);
}

sub vcl_backend_response {
  # Nothing is served when it is older than max-age, not even while a fresh one is on its way ...
  set beresp.grace = 0s;
  # ... but it is kept a while longer: where the server answers 304 it is fresh again.
  set beresp.keep = 1h;

  # A write makes stale what tells of it: its own resource, collections, whatever expands it. Where much is written and little of it is
  # public, narrow this to the paths of public collections.
  if (bereq.method ~ "^(POST|PUT|PATCH|DELETE)$" && beresp.status < 400) {
    std.ban("obj.status != 0");
  }
}

sub vcl_deliver {
  set resp.http.X-Correlation-ID = req.http.X-Correlation-ID;
  if (obj.hits > 0) {
    set resp.http.X-Cache = "HIT";
  } else {
    set resp.http.X-Cache = "MISS";
  }
}
