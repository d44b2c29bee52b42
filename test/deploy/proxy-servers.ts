import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { root } from '../../scripts/command.ts';
import { listening } from '../caches/cache-servers.ts';
import { freePort } from '../free-port.ts';
import { programFile } from '../installed-programs.ts';
import { replaced } from '../replaced.ts';

export const PROXIES = ['nginx', 'haproxy'] as const;
export type Proxy = (typeof PROXIES)[number];

/** The settings of a model that is served behind them. */
export const PROXIED = `name: desk
public_url: https://api.example.com
trusted_proxies: [127.0.0.1]
require_tls: true
auth: { gateway: { secret: correct horse } }
`;

const example = (file: string): string => readFileSync(path.join(root, 'examples', 'deploy', file), 'utf8');

/** Makes a certificate that the proxies present, and its key, in a folder. @returns the certificate */
export function makeCertificate(folder: string): string {
  const inFolder = (file: string): string => path.join(folder, file);
  const subject = ['-subj', '/CN=api.example.com', '-addext', 'subjectAltName=DNS:api.example.com'];
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-keyout', inFolder('api.key')];
  const args = ['req', '-x509', '-days', '1', ...key, '-out', inFolder('api.crt'), ...subject];
  execFileSync(programFile('openssl') ?? 'openssl', args, { stdio: 'ignore' });
  const certificate = readFileSync(inFolder('api.crt'), 'utf8');
  writeFileSync(inFolder('api.pem'), certificate + readFileSync(inFolder('api.key'), 'utf8'));
  return certificate;
}

/** The instances behind a proxy, and its own port. */
interface ProxyPorts {
  readonly origins: readonly number[];
  readonly port: number;
}

/** Writes the configuration of the example. @returns the arguments of the proxy */
const CONFIGURE: Readonly<Record<Proxy, (folder: string, ports: ProxyPorts) => readonly string[]>> = {
  nginx(folder, { origins, port }) {
    const line = 'server 127.0.0.1:3000 max_fails=1 fail_timeout=1s;';
    const site = replaced(example('nginx.conf'), [
      [line, origins.map((origin) => line.replace('3000', String(origin))).join('\n  ')],
      ['listen 443 ssl http2;', `listen 127.0.0.1:${port} ssl http2;`],
      ['/etc/ssl/api.example.com.crt', path.join(folder, 'api.crt')],
      ['/etc/ssl/api.example.com.key', path.join(folder, 'api.key')],
    ]);
    writeFileSync(path.join(folder, 'site.conf'), site);
    const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((each) => `${each}_temp_path ${each};`);
    const around = `daemon off; pid nginx.pid; worker_processes 1; events {} http { access_log off; ${temporary.join(' ')} include site.conf; }`;
    writeFileSync(path.join(folder, 'nginx.conf'), around);
    return ['-p', folder, '-c', 'nginx.conf', '-e', 'error.log'];
  },
  haproxy(folder, { origins, port }) {
    const file = path.join(folder, 'haproxy.cfg');
    const lines = origins.map((origin, index) => `server ${['one', 'two'][index]} 127.0.0.1:${origin}`);
    const text = replaced(example('haproxy.cfg'), [
      ['server one 127.0.0.1:3000', lines.join('\n  ')],
      [
        'bind :443 ssl crt /etc/ssl/api.example.com.pem',
        `bind 127.0.0.1:${port} ssl crt ${path.join(folder, 'api.pem')}`,
      ],
    ]);
    writeFileSync(file, text);
    return ['-f', file];
  },
};

/** A proxy that listens. */
export interface StartedProxy {
  readonly child: ChildProcess;
  readonly port: number;
}

/** Starts a proxy whose configuration is the example. @param folder with its certificate */
export async function startProxy(proxy: Proxy, folder: string, origins: readonly number[]): Promise<StartedProxy> {
  const port = await freePort();
  const log: string[] = [];
  const child = spawn(programFile(proxy) ?? proxy, CONFIGURE[proxy](folder, { origins, port }), {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => log.push(chunk.toString()));
  await listening(child, port, () => Promise.resolve(log.join('')));
  return { child, port };
}
