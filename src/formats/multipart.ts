import { Dicer } from '@fastify/busboy';
import type { JsonObject } from '../conventions/json/json.ts';
import { parseMediaType, readParameters } from '../conventions/media/media-type.ts';
import { formText, FormTree } from './form.ts';
import { readJson } from './json.ts';
import type { StructureLimits } from './json-scan.ts';
import { decodeUtf8, malformedBody } from './malformed-body.ts';
import type { ValueType } from '../model/model.ts';
import type { ObjectType, RawValue } from './typed-reader.ts';

/** A part of a multipart body, before it is interpreted. */
interface BodyPart {
  /** By lower-case name; null if the header section of the part is incomplete. */
  header: ReadonlyMap<string, readonly string[]> | null;
  readonly chunks: Buffer[];
}

const MAX_HEADER_FIELDS = 20;
const MAX_PARTS = 1_000;
/** So many parts are parsed also where the model takes fewer, so that errors name the fields that it does not have. */
const MIN_PARTS = 100;
/** The high-water mark of parts: the body is in memory already, so no part has to wait for its reader. */
const UNLIMITED = 2 ** 30;
/** The escapes of browsers for quotes and line breaks in a name (HTML, multipart/form-data encoding algorithm). */
const NAME_ESCAPES = /%(22|0[aAdD])/g;

/**
 * Parses a body in `multipart/form-data` (RFC 7578) and reads it by its schema (NEG-5). Parts are named like the fields
 * of a form. A part of type `application/json` is parsed; a file is accepted only where the schema has `binary`. File
 * names are ignored.
 *
 * @throws {ApiError} REQUEST_BODY_MALFORMED
 */
export async function readMultipart(
  bytes: Uint8Array,
  boundary: string,
  type: ObjectType,
  limits: StructureLimits,
): Promise<JsonObject> {
  const form = new FormTree(limits);
  checkCount(bytes, boundary, Math.min(MAX_PARTS, limits.items, Math.max(MIN_PARTS, measureCapacity(type))));
  for (const part of await splitParts(bytes, boundary)) {
    const disposition = readDisposition(part);
    form.add(disposition.name, readPartValue(part, disposition, limits));
  }
  return form.read(type);
}

/** The number of values that a type can have; infinite for lists and maps. */
function measureCapacity(type: ValueType): number {
  if (type.kind === 'array' || type.kind === 'map') return Infinity;
  return type.kind === 'object' ? type.members.reduce((sum, member) => sum + measureCapacity(member.type), 0) : 1;
}

/**
 * Counts the delimiters before the body is parsed, because each part costs far more than its bytes (LIM-1).
 *
 * @throws {ApiError} REQUEST_BODY_MALFORMED
 */
function checkCount(bytes: Uint8Array, boundary: string, max: number): void {
  const body = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const delimiter = `\r\n--${boundary}`;
  // The first delimiter may lack its line break, and the last one ends the body.
  let parts = body.subarray(0, delimiter.length - 2).equals(Buffer.from(delimiter.slice(2))) ? 0 : -1;
  for (let at = body.indexOf(delimiter); at !== -1; at = body.indexOf(delimiter, at + delimiter.length)) {
    parts += 1;
    if (parts > max) throw malformedBody(null, `must have at most ${max} parts`);
  }
}

/** Splits a body at its boundaries. The promise always settles. */
function splitParts(bytes: Uint8Array, boundary: string): Promise<readonly BodyPart[]> {
  return new Promise((resolve, reject) => {
    const parts: BodyPart[] = [];
    const config = { boundary, maxHeaderPairs: MAX_HEADER_FIELDS, partHwm: UNLIMITED };
    const parser = new Dicer(config);
    parser.on('part', (stream) => {
      const part: BodyPart = { header: null, chunks: [] };
      parts.push(part);
      stream.on('header', (header: object) => (part.header = new Map(Object.entries(header))));
      stream.on('data', (chunk) => part.chunks.push(Buffer.from(chunk)));
      stream.on('error', reject);
    });
    parser.on('error', () => reject(malformedBody(null, 'the boundary or the closing boundary is missing')));
    parser.on('finish', () => resolve(parts));
    parser.end(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length));
  });
}

/** The name of a part, and its file name, if it is a file. */
interface Disposition {
  readonly name: string;
  readonly file: string | null;
}

/** Parses the Content-Disposition of a part (RFC 7578 4.2). */
function readDisposition({ header }: BodyPart): Disposition {
  const [field = '', another] = header?.get('content-disposition') ?? [];
  const [kind = ''] = /^[\t ]*form-data(?=[\t ]*(?:;|$))/i.exec(field) ?? [];
  const parsed = kind === '' || another !== undefined ? null : readParameters(field, kind.length);
  const name = parsed?.parameters.get('name');
  if (parsed === null || name === undefined || field.slice(parsed.end).trim() !== '') {
    throw malformedBody(null, 'each part needs one Content-Disposition: form-data with a name');
  }
  const file = parsed.parameters.get('filename*') ?? parsed.parameters.get('filename') ?? null;
  const decoded = decodeUtf8(Buffer.from(name, 'latin1'), 'the name of a part');
  return {
    name: decoded.replace(NAME_ESCAPES, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16))),
    file,
  };
}

function readPartValue({ header, chunks }: BodyPart, { name, file }: Disposition, limits: StructureLimits): RawValue {
  const bytes = Buffer.concat(chunks);
  const encoding = header?.get('content-transfer-encoding')?.join() ?? '8bit';
  if (!/^(?:7bit|8bit|binary)$/i.test(encoding.trim())) {
    throw malformedBody(name, 'a part must not be transfer-encoded (RFC 7578 4.7)');
  }
  // Browsers send an empty file input like this.
  if (file === '' && bytes.length === 0) return { kind: 'null' };
  const isFile = file !== null;
  const declared = header?.get('content-type')?.join();
  if (declared === undefined) return isFile ? { kind: 'file', bytes } : formText(decodeUtf8(bytes, name));
  const type = parseMediaType(declared);
  if (type === null) throw malformedBody(name, 'the Content-Type of the part is not a media type');
  if ((type.parameters.get('charset') ?? 'utf-8').toLowerCase() !== 'utf-8') {
    throw malformedBody(name, 'the charset of a part must be UTF-8');
  }
  if (type.type === 'application' && type.subtype === 'json') return { kind: 'json', json: readJson(bytes, limits) };
  if (type.type === 'text' && !isFile) return formText(decodeUtf8(bytes, name));
  return { kind: 'file', bytes };
}
