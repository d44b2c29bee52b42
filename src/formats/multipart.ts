import { Dicer } from '@fastify/busboy';
import type { JsonObject } from '../conventions/json.ts';
import { parseMediaType, readParameters } from '../conventions/media-type.ts';
import { formFault, FormTree, type FormValue } from './form-tree.ts';
import { readJson } from './json.ts';
import type { StructureLimits } from './json-scan.ts';
import type { ObjectType } from './typed-reader.ts';

/** One part of a multipart body, as it stands. */
interface Part {
  /** By lower-case name; null where the part has no whole header section. */
  header: ReadonlyMap<string, readonly string[]> | null;
  readonly chunks: Buffer[];
}

/** In a text a byte order mark is a character like any other. */
const UTF_8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const MAX_FIELDS = 20;
/** Everything is in memory already, so that no part has to wait for its reader. */
const WHOLE = 2 ** 30;
/** What a browser writes for the characters that would end a name (HTML, multipart/form-data encoding algorithm). */
const NAME_ESCAPES = /%(22|0[aAdD])/g;

/**
 * Reads a body in `multipart/form-data` (RFC 7578) as the value that its schema makes of it (NEG-5). Parts are named as the fields of a form;
 * one of type `application/json` is parsed, a file stands only where the schema has bytes. File names are not looked at.
 *
 * @throws {ApiError} REQUEST_BODY_MALFORMED
 */
export async function readMultipart(
  bytes: Uint8Array,
  boundary: string,
  type: ObjectType,
  limits: StructureLimits,
): Promise<JsonObject> {
  const tree = new FormTree(limits);
  for (const part of await splitParts(bytes, boundary, limits.items)) {
    const said = disposition(part);
    tree.add(said.name, valueOf(part, said, limits));
  }
  return tree.read(type);
}

/** The parts between the boundaries. Settles in any case. */
function splitParts(bytes: Uint8Array, boundary: string, most: number): Promise<readonly Part[]> {
  return new Promise((resolve, reject) => {
    const parts: Part[] = [];
    const config = { boundary, maxHeaderPairs: MAX_FIELDS, partHwm: WHOLE };
    const parser = new Dicer(config);
    parser.on('part', (stream) => {
      const part: Part = { header: null, chunks: [] };
      if (parts.push(part) > most) reject(formFault(`it has more than ${most} parts`));
      stream.on('header', (header: object) => (part.header = new Map(Object.entries(header))));
      stream.on('data', (chunk) => part.chunks.push(Buffer.from(chunk)));
      stream.on('error', reject);
    });
    parser.on('error', () => reject(formFault('it ends before its closing boundary, or has none of its boundaries')));
    parser.on('finish', () => resolve(parts));
    parser.end(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length));
  });
}

/** The name of a part, and that of its file; null where it is none. */
interface Disposition {
  readonly name: string;
  readonly file: string | null;
}

/** What a part says of itself (RFC 7578 4.2). */
function disposition({ header }: Part): Disposition {
  const [field = '', another] = header?.get('content-disposition') ?? [];
  const [kind = ''] = /^[\t ]*form-data(?=[\t ]*(?:;|$))/i.exec(field) ?? [];
  const read = kind === '' || another !== undefined ? null : readParameters(field, kind.length);
  const name = read?.parameters.get('name');
  if (read === null || name === undefined || field.slice(read.end).trim() !== '') {
    throw formFault('each part needs one Content-Disposition: form-data with a name');
  }
  const file = read.parameters.get('filename*') ?? read.parameters.get('filename') ?? null;
  const decoded = text(Buffer.from(name, 'latin1'), 'the name of a part');
  return {
    name: decoded.replace(NAME_ESCAPES, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16))),
    file,
  };
}

function valueOf({ header, chunks }: Part, { name, file }: Disposition, limits: StructureLimits): FormValue {
  const bytes = Buffer.concat(chunks);
  const encoding = header?.get('content-transfer-encoding')?.join() ?? '8bit';
  if (!/^(?:7bit|8bit|binary)$/i.test(encoding.trim()))
    throw formFault(`the part ${name} is transfer-encoded (RFC 7578 4.7)`);
  // A browser sends a file field in which nothing was chosen so.
  if (file === '' && bytes.length === 0) return { kind: 'bare' };
  const isFile = file !== null;
  const declared = header?.get('content-type')?.join();
  if (declared === undefined) return isFile ? { kind: 'file', bytes } : { kind: 'text', text: text(bytes, name) };
  const type = parseMediaType(declared);
  if (type === null) throw formFault(`the Content-Type of the part ${name} is no media type`);
  if ((type.parameters.get('charset') ?? 'utf-8').toLowerCase() !== 'utf-8')
    throw formFault(`send the part ${name} in UTF-8`);
  if (type.type === 'application' && type.subtype === 'json') return { kind: 'json', json: readJson(bytes, limits) };
  if (type.type === 'text' && !isFile) return { kind: 'text', text: text(bytes, name) };
  return { kind: 'file', bytes };
}

function text(bytes: Uint8Array, name: string): string {
  try {
    return UTF_8.decode(bytes);
  } catch {
    throw formFault(`${name} is not UTF-8`);
  }
}
