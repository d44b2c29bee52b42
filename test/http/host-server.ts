import { once } from 'node:events';
import http, { type RequestListener } from 'node:http';

/** The server of a host application. */
export interface HostServer extends AsyncDisposable {
  readonly port: number;
}

/** Serves a host application at a free port of this machine, until it is disposed of. */
export async function serveHost(listener: RequestListener): Promise<HostServer> {
  const server = http.createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return {
    port: address !== null && typeof address === 'object' ? address.port : 0,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
