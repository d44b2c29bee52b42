/** How a text is stored: the first byte of its packed form. */
const NULL = 0;
const UUID = 1;
const HEX = 2;
const TEXT = 3;

const UUID_PATTERN = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const HEX_PATTERN = /^[0-9a-f]{32}$/;
/** Bytes of a UUID, and of 32 hexadecimal digits. */
const SIZE = 16;
const LENGTH_BYTES = 4;

/** Texts as bytes: a UUID or 32 hexadecimal digits, in lower case, take 17 of them. Equal texts have equal bytes. */
export function packTexts(texts: readonly (string | null)[]): Uint8Array {
  return Buffer.concat(texts.map(packed));
}

function packed(text: string | null): Buffer {
  if (text === null) return Buffer.of(NULL);
  if (UUID_PATTERN.test(text)) return Buffer.concat([Buffer.of(UUID), Buffer.from(text.replaceAll('-', ''), 'hex')]);
  if (HEX_PATTERN.test(text)) return Buffer.concat([Buffer.of(HEX), Buffer.from(text, 'hex')]);
  const bytes = Buffer.from(text);
  const head = Buffer.alloc(1 + LENGTH_BYTES);
  head.writeUInt8(TEXT);
  head.writeUInt32BE(bytes.length, 1);
  return Buffer.concat([head, bytes]);
}

/** The texts of packed bytes. */
export function unpackTexts(packedTexts: Uint8Array): readonly (string | null)[] {
  const bytes = Buffer.from(packedTexts.buffer, packedTexts.byteOffset, packedTexts.byteLength);
  const texts: (string | null)[] = [];
  for (let at = 0; at < bytes.length; ) {
    const kind = bytes.readUInt8(at);
    const length = kind === TEXT ? bytes.readUInt32BE(at + 1) : SIZE;
    const start = at + 1 + (kind === TEXT ? LENGTH_BYTES : 0);
    at = kind === NULL ? at + 1 : start + length;
    texts.push(kind === NULL ? null : unpacked(kind, bytes.subarray(start, at)));
  }
  return texts;
}

function unpacked(kind: number, bytes: Buffer): string {
  if (kind === TEXT) return bytes.toString();
  const digits = bytes.toString('hex');
  if (kind === HEX) return digits;
  const parts = [digits.slice(0, 8), digits.slice(8, 12), digits.slice(12, 16), digits.slice(16, 20), digits.slice(20)];
  return parts.join('-');
}
