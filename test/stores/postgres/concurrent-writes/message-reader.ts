/** A message of the protocol of PostgreSQL. */
export interface Message {
  /** A letter; empty for the first message of a client. */
  readonly type: string;
  /** The message with its type and its length. */
  readonly bytes: Buffer;
  readonly body: Buffer;
}

/** Splits the bytes of one direction of a connection into messages. */
export class MessageReader {
  #left = Buffer.alloc(0);
  #isFirst: boolean;

  /** @param isClient true for the messages of a client, of which the first one has no type */
  constructor(isClient: boolean) {
    this.#isFirst = isClient;
  }

  /** The messages that are complete with some more bytes. */
  read(chunk: Buffer): readonly Message[] {
    this.#left = Buffer.concat([this.#left, chunk]);
    const messages: Message[] = [];
    for (;;) {
      const start = this.#isFirst ? 0 : 1;
      if (this.#left.length < start + 4) return messages;
      const size = start + this.#left.readInt32BE(start);
      if (this.#left.length < size) return messages;
      const bytes = this.#left.subarray(0, size);
      messages.push({ type: bytes.toString('latin1', 0, start), bytes, body: bytes.subarray(start + 4) });
      this.#left = this.#left.subarray(size);
      this.#isFirst = false;
    }
  }
}

/** The texts at the start of a body, each of which ends with a zero. */
export function readTexts(body: Buffer, count: number): readonly string[] {
  return body.toString('utf8').split('\0', count);
}

/** A message with another text in place of one in its body. */
export function replaceText({ type, body }: Message, from: string, to: string): Buffer {
  const at = body.indexOf(from);
  const rest = body.subarray(at + Buffer.byteLength(from));
  const replaced = Buffer.concat([body.subarray(0, at), Buffer.from(to), rest]);
  const head = Buffer.alloc(5);
  head.write(type, 'latin1');
  head.writeInt32BE(replaced.length + 4, 1);
  return Buffer.concat([head, replaced]);
}

/** The `SQLSTATE` of an error. */
export function readErrorCode({ body }: Message): string {
  const field = body
    .toString('utf8')
    .split('\0')
    .find((each) => each.startsWith('C'));
  return field?.slice(1) ?? '';
}
