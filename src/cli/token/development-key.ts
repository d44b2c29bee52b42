import { readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import process from 'node:process';
import { createSigningKey } from '../../auth/signature.ts';
import { isJsonObject, type Json, type JsonObject } from '../../conventions/json/json.ts';
import { commandFailed, describeFileError } from '../command-error.ts';

/** The key pair that signs development tokens. */
export interface DevelopmentKey {
  readonly privateKey: JsonObject;
  readonly publicKey: JsonObject;
  /** True if it was made now. */
  readonly isNew: boolean;
}

/** The private key, which its owner alone may read. */
export const KEY_FILE = 'restwright-dev-key.json';
/** The key set with the public key, which models name as `jwks_file`. */
export const JWKS_FILE = 'restwright-dev-jwks.json';

/**
 * Reads the key pair of a folder, or makes it. The public key is written wherever its file is missing.
 *
 * @throws {CommandError} exit 1 for a file that cannot be read or written, is no such key, or can be read by others
 */
export async function openDevelopmentKey(folder: string): Promise<DevelopmentKey> {
  const file = path.join(folder, KEY_FILE);
  const found = (await readKey(file)) ?? (await makeKey(file));
  const set = `${JSON.stringify({ keys: [found.publicKey] }, null, 2)}\n`;
  // The set of an earlier key, which was deleted, would not verify.
  await write(path.join(folder, JWKS_FILE), set, { flag: found.isNew ? 'w' : 'wx', mode: 0o644 });
  return found;
}

async function readKey(file: string): Promise<DevelopmentKey | null> {
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    if (isCode(error, 'ENOENT')) return null;
    throw commandFailed(`cannot read ${file}: ${describeFileError(error)}`);
  });
  if (text === null) return null;
  // Windows has no such bits.
  if (process.platform !== 'win32' && ((await stat(file)).mode & 0o077) !== 0)
    throw commandFailed(`other users can read the private key in ${file}; run chmod 600 ${file}, or delete it.`);
  const key = parseKey(text);
  if (key === null)
    throw commandFailed(`${file} is not an ES256 key that restwright token created; delete it to create a new one.`);
  const { d: _private, ...publicKey } = key;
  return { privateKey: key, publicKey, isNew: false };
}

function parseKey(text: string): JsonObject | null {
  try {
    const key: Json = JSON.parse(text);
    const isKey = isJsonObject(key) && key['crv'] === 'P-256' && ['x', 'y', 'd'].every((name) => isText(key[name]));
    return isKey ? key : null;
  } catch {
    return null;
  }
}

function isText(value: Json | undefined): boolean {
  return typeof value === 'string';
}

async function makeKey(file: string): Promise<DevelopmentKey> {
  const pair = await createSigningKey();
  const isWritten = await write(file, `${JSON.stringify(pair.privateKey, null, 2)}\n`, { flag: 'wx', mode: 0o600 });
  // Another process has made it meanwhile.
  return isWritten ? { ...pair, isNew: true } : ((await readKey(file)) ?? { ...pair, isNew: true });
}

interface WriteMode {
  /** `wx` writes only where there is no file. */
  readonly flag: 'w' | 'wx';
  readonly mode: number;
}

/** @returns whether the file was written */
async function write(file: string, text: string, options: WriteMode): Promise<boolean> {
  try {
    await writeFile(file, text, options);
    return true;
  } catch (error) {
    if (isCode(error, 'EEXIST')) return false;
    throw commandFailed(`cannot write ${file}: ${describeFileError(error)}`);
  }
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
