# A shared cache in front of `restwright serve`, for Varnish 7. Explained in docs/guides/caching.md
#
#   varnishd -a :8080 -f examples/caches/default.vcl -p http_gzip_support=off -s malloc,256m
vcl 4.1;

import std;

backend default {
  .host = "127.0.0.1";
  .port = "3000";
}

sub vcl_recv {
  # Without authentication the server accepts only loopback names.
  set req.http.Host = "127.0.0.1";

  # A cached response has the correlation id of an earlier request: set that of this one.
  if (req.http.X-Correlation-ID !~ "^[A-Za-z0-9._~:-]{1,128}$") {
    set req.http.X-Correlation-ID = std.time2integer(now, 0) + "-" + req.xid;
  }

  # Everything else is passed to the server, including QUERY, which Varnish does not know.
  if (req.method != "GET" && req.method != "HEAD") {
    return (pass);
  }
  # The server evaluates preconditions: Varnish supports neither lists of ETags nor If-Match.
  if (req.http.If-Match || req.http.If-None-Match || req.http.If-Modified-Since || req.http.If-Unmodified-Since) {
    return (pass);
  }
  if (req.http.Cache-Control ~ "(?i)no-cache|no-store|max-age=0") {
    set req.hash_always_miss = true;
  }
  # Also with credentials: the server sends `public` for responses that are the same for every caller, else `private` or `no-cache`.
  return (hash);
}

sub vcl_backend_response {
  # No response is served after max-age, not even during revalidation ...
  set beresp.grace = 0s;
  # ... but it is stored longer, because a 304 of the server makes it fresh again.
  set beresp.keep = 1h;

  # A write invalidates the resource, its collections and every response that expands it. Where most writes are not public, restrict this to
  # the paths of public collections.
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
