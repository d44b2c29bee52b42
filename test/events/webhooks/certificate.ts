import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** A certificate that signs itself, with its key. */
export interface Certificate {
  readonly cert: string;
  readonly key: string;
}

/** Makes a certificate with OpenSSL. @param names such as `DNS:receiver.test` */
export function createCertificate(names: readonly string[]): Certificate {
  const folder = mkdtempSync(path.join(tmpdir(), 'restwright-'));
  try {
    const key = path.join(folder, 'key.pem');
    const cert = path.join(folder, 'cert.pem');
    const request = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2'];
    const subject = ['-subj', '/CN=receiver', '-addext', `subjectAltName=${names.join(',')}`];
    execFileSync('openssl', [...request, ...subject, '-keyout', key, '-out', cert], { stdio: 'ignore' });
    return { cert: readFileSync(cert, 'utf8'), key: readFileSync(key, 'utf8') };
  } finally {
    rmSync(folder, { recursive: true });
  }
}
