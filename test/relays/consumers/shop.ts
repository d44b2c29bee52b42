import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { serveHttp } from '../../../src/http/serve-http.ts';
import { loadModel } from '../../../src/model/compile/load-model.ts';
import { startApi } from '../../../src/start-api.ts';

/** Products that are changed again and again: each has several events. */
const PRODUCTS = 20;

/** Milliseconds in which the relays send everything. */
const RELAYED = 20_000;

/** An API with relays, and the program that writes to it. */
export interface RelayingShop {
  /** Writes one after another: each makes an event. */
  write(count: number): Promise<void>;
  /** Waits until all relays have sent all events. */
  untilRelayed(): Promise<void>;
  /** The line that a consumer prints for each event, in order of `sequence`. */
  expectedLines(): Promise<readonly string[]>;
}

interface LoggedEvent {
  readonly id: string;
  readonly type: string;
  readonly payload: { readonly resource: { readonly type: string; readonly id: string } };
  readonly metadata: { readonly sequence: string };
}

/** A page of a collection: its items, and the URL of the next page. */
interface ItemPage<Item> {
  readonly data: readonly Item[];
  readonly links: { readonly next?: string };
}

/** Starts the API in this process. @param relays flow style YAML: `[{ nats: …, stream: SHOP }]` */
export async function startShop(context: TestContext, relays: string): Promise<RelayingShop> {
  const text = `
name: shop
events: { relays: ${relays} }
limits: { rate: false }
resources:
  products:
    id: client
    events: full
    schema: { type: object, properties: { price: { type: integer } } }
`;
  const shop = await startApi({ model: loadModel({ text }).model, database: ':memory:' });
  const server = await serveHttp({ api: shop.api, port: 0 });
  context.after(async () => {
    await server.close();
    await shop.close();
  });
  const base = `http://127.0.0.1:${server.port}`;
  let written = 0;
  return {
    async write(count) {
      for (const last = written + count; written < last; written += 1) await writePrice(base, written);
    },
    async untilRelayed() {
      const deadline = performance.now() + RELAYED;
      for (;;) {
        const { data } = await readPage<{ readonly position: string; readonly last_error: unknown }>(
          base,
          '/api/v1/relays',
        );
        if (data.every(({ position }) => Number(position) === written)) return;
        assert.ok(performance.now() < deadline, JSON.stringify(data));
        await setTimeout(50);
      }
    },
    expectedLines: () => readLines(base),
  };
}

async function writePrice(base: string, price: number): Promise<void> {
  const product = price % PRODUCTS;
  const response = await fetch(`${base}/api/v1/products/product-${product}`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json', ...(price < PRODUCTS ? { 'if-none-match': '*' } : {}) },
    body: JSON.stringify({ price }),
  });
  assert.ok(response.ok, await response.text());
}

async function readLines(base: string): Promise<readonly string[]> {
  const lines: string[] = [];
  for (let next: string | undefined = '/api/v1/events?limit=100'; next !== undefined; ) {
    const page: ItemPage<LoggedEvent> = await readPage(base, next);
    for (const { id, type, payload, metadata } of page.data)
      lines.push(`${metadata.sequence} ${type} ${payload.resource.type}/${payload.resource.id} ${id}`);
    next = page.links.next;
  }
  return lines;
}

async function readPage<Item>(base: string, target: string): Promise<ItemPage<Item>> {
  const response = await fetch(new URL(target, base));
  return JSON.parse(await response.text());
}
