/** The receivers of the guide, by language (docs/guides/webhooks.md). */
export const samples = {
  JavaScript: `import { createServer } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { verifyWebhook, WebhookError } from 'restwright/webhooks';

const seen = new Set();

const server = createServer(async (request, response) => {
  try {
    const body = await buffer(request);
    const event = await verifyWebhook({ headers: request.headers, body }, { secret: process.env.WEBHOOK_SECRET });
    response.writeHead(204).end();
    if (seen.has(event.id)) return;
    seen.add(event.id);
    console.log(event.type, event.payload.resource.url);
  } catch (error) {
    response.writeHead(error instanceof WebhookError ? 400 : 500).end();
  }
});

server.listen(Number(process.env.PORT ?? 8080));`,
  Python: `import base64, hashlib, hmac, json, os, time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

KEY = base64.b64decode(os.environ["WEBHOOK_SECRET"].removeprefix("whsec_"))


def verify(headers, body):
    """The event of a delivery; raises ValueError for anything else."""
    id, timestamp = headers["webhook-id"] or "", headers["webhook-timestamp"] or ""
    if not timestamp.isdigit() or abs(time.time() - int(timestamp)) > 300:
        raise ValueError("timestamp")
    content = f"{id}.{timestamp}.".encode() + body
    expected = "v1," + base64.b64encode(hmac.new(KEY, content, hashlib.sha256).digest()).decode()
    signatures = (headers["webhook-signature"] or "").split(" ")
    if not any(hmac.compare_digest(expected.encode(), each.encode()) for each in signatures):
        raise ValueError("signature")
    return json.loads(body)


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"] or 0))
        try:
            event = verify(self.headers, body)
        except ValueError:
            self.send_response(400)
            self.end_headers()
            return
        self.send_response(204)
        self.end_headers()
        print(event["type"], event["payload"]["resource"]["url"], flush=True)


ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("PORT", "8080"))), Receiver).serve_forever()`,
  Go: `package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"
)

type event struct {
	ID      string \`json:"id"\`
	Type    string \`json:"type"\`
	Payload struct {
		Resource struct {
			URL string \`json:"url"\`
		} \`json:"resource"\`
	} \`json:"payload"\`
}

func verify(key []byte, header http.Header, body []byte) error {
	id, timestamp := header.Get("webhook-id"), header.Get("webhook-timestamp")
	seconds, err := strconv.ParseInt(timestamp, 10, 64)
	if err != nil || time.Since(time.Unix(seconds, 0)).Abs() > 5*time.Minute {
		return errors.New("timestamp")
	}
	mac := hmac.New(sha256.New, key)
	fmt.Fprintf(mac, "%s.%s.%s", id, timestamp, body)
	expected := "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
	for _, signature := range strings.Fields(header.Get("webhook-signature")) {
		if hmac.Equal([]byte(signature), []byte(expected)) {
			return nil
		}
	}
	return errors.New("signature")
}

func main() {
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(os.Getenv("WEBHOOK_SECRET"), "whsec_"))
	if err != nil {
		log.Fatal(err)
	}
	http.HandleFunc("POST /", func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 4<<20))
		var e event
		if err != nil || verify(key, r.Header, body) != nil || json.Unmarshal(body, &e) != nil {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		w.WriteHeader(http.StatusNoContent)
		fmt.Println(e.Type, e.Payload.Resource.URL)
	})
	log.Fatal(http.ListenAndServe("127.0.0.1:"+os.Getenv("PORT"), nil))
}`,
} as const;

export type Language = keyof typeof samples;
