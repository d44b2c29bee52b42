import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** A certificate and its key: the paths of their files, as PEM. */
export interface CertificateFiles {
  readonly cert: string;
  readonly key: string;
}

/** An authority of a test, which issues certificates. */
export interface TestAuthority {
  /** The file with its certificate. */
  readonly file: string;
  /** @param name of the subject @param names such as `DNS:db.example.com`; none for a client */
  issue(name: string, names?: readonly string[]): CertificateFiles;
}

const NEW_KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];

/** Creates an authority with OpenSSL, in a new folder. */
export function createAuthority(folder: string): TestAuthority {
  mkdirSync(folder, { recursive: true });
  const of = (name: string): string => path.join(folder, name);
  const openssl = (...args: readonly string[]): void => void execFileSync('openssl', args, { stdio: 'ignore' });
  openssl(
    'req',
    '-x509',
    ...NEW_KEY,
    '-days',
    '2',
    '-subj',
    '/CN=authority',
    '-keyout',
    of('ca.key'),
    '-out',
    of('ca.pem'),
  );
  return {
    file: of('ca.pem'),
    issue(name, names = []) {
      const [key, request, cert, extensions] = ['key', 'csr', 'pem', 'ext'].map((end) => of(`${name}.${end}`));
      if (key === undefined || request === undefined || cert === undefined || extensions === undefined)
        throw new Error('there are four files');
      openssl('req', '-new', ...NEW_KEY, '-subj', `/CN=${name}`, '-keyout', key, '-out', request);
      writeFileSync(extensions, names.length === 0 ? '' : `subjectAltName=${names.join(',')}`);
      const authority = ['-CA', of('ca.pem'), '-CAkey', of('ca.key'), '-CAcreateserial'];
      openssl('x509', '-req', '-days', '2', ...authority, '-in', request, '-extfile', extensions, '-out', cert);
      return { cert, key };
    },
  };
}

/** The text of both files. */
export function readPem({ cert, key }: CertificateFiles): { readonly cert: string; readonly key: string } {
  return { cert: readFileSync(cert, 'utf8'), key: readFileSync(key, 'utf8') };
}
