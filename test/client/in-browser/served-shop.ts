// The shop for a page: the process that runs the browser serves it.
import { observedClients } from '../observed-client.ts';
import type { ServedShop } from '../served-shop.ts';

/** The calls of the page to that process. */
declare const openShop: () => Promise<{ readonly url: string; readonly token: string }>;
declare const closeShop: (url: string) => Promise<void>;
declare const newEventsOf: (url: string) => Promise<number>;

export async function serveShop(): Promise<ServedShop> {
  const { url, token } = await openShop();
  return {
    ...observedClients(url, token),
    newEvents: () => newEventsOf(url),
    [Symbol.asyncDispose]: () => closeShop(url),
  };
}
