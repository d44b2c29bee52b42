import { close, writeSync, writev } from 'node:fs';

/** Where log lines go. */
export interface Log {
  /** Takes whole lines; the caller never waits. They are written within a quarter of a second while the destination takes them. */
  readonly write: (text: string) => void;
  /** Writes at once what is left, for a process that is about to end without more turns of the event loop. */
  flush(): void;
  /** Writes what is left and lets go of the destination, within a second. Lines written later are dropped. */
  close(): Promise<void>;
}

/** Lines are gathered up to so many bytes or milliseconds, so that a busy server writes once for many requests. */
const BATCH = 65_536;
const WRITE_EVERY = 250;
/** Bytes that UTF-8 takes at most for a unit of a text. */
const WIDEST = 3;
/** Bytes that wait for a reader that has stopped; what is gathered beyond it is dropped, for a log must not exhaust the memory. */
const MAX_WAITING = 16 * 1024 * 1024;
/** Buffers that are kept to be filled again: what a thousand requests fill in a turn of the event loop, twice. */
const MAX_SPARE = 8;
/** Milliseconds before a full pipe is tried again, and how often `flush` tries before it is given up. */
const TRY_AGAIN = 100;
const MAX_TRIES = 5;
const CLOSE_WITHIN = 1_000;
const LAST_STANDARD = 2;

/** Whole lines in UTF-8. */
interface Batch {
  readonly bytes: Buffer;
  /** How many of the bytes are filled, and how many of these are written. */
  length: number;
  written: number;
}

/**
 * Writes to a file descriptor (OPS-2). A full pipe (EAGAIN) is waited for off the path; a destination that is gone (EPIPE) ends
 * the log and never the program: nobody is left to tell.
 *
 * @param fd an open file descriptor, 2 for standard error; it is closed with the log unless it is a standard one
 */
export function openLog(fd: number): Log {
  return new LogFile(fd);
}

/** Lines become bytes at once, in buffers that are filled again: texts that wait to be written would grow old for the garbage collector. */
class LogFile implements Log {
  readonly #fd: number;
  readonly #timer: NodeJS.Timeout;
  #state: 'open' | 'closing' | 'closed' = 'open';
  #gathered: Batch = emptyBatch();
  /** Oldest first. */
  readonly #waiting: Batch[] = [];
  /** How many of them are being written. */
  #onTheirWay = 0;
  readonly #spare: Buffer[] = [];
  readonly #closed = Promise.withResolvers<void>();

  constructor(fd: number) {
    this.#fd = fd;
    const regularly = (): void => {
      if (this.#waiting.length === 0) this.#handOn();
    };
    this.#timer = setInterval(regularly, WRITE_EVERY).unref();
  }

  readonly write = (text: string): void => {
    if (this.#state !== 'open') return;
    const most = text.length * WIDEST;
    if (this.#gathered.length + most > BATCH) this.#handOn();
    const batch = this.#gathered;
    if (most <= BATCH) batch.length += batch.bytes.write(text, batch.length);
    else this.#queue(batchOf(text));
  };

  flush(): void {
    if (this.#state === 'closed') return;
    // Those on their way are written by another thread, which a process that ends waits for.
    const left = [...this.#waiting.splice(this.#onTheirWay), this.#gathered];
    this.#gathered = emptyBatch();
    try {
      for (const batch of left) writeWhole(this.#fd, toWrite(batch));
    } catch {
      this.#end();
    }
  }

  close(): Promise<void> {
    if (this.#state !== 'open') return this.#closed.promise;
    this.#handOn();
    this.#state = 'closing';
    const timer = setTimeout(() => this.#end(), CLOSE_WITHIN);
    this.#next();
    return this.#closed.promise.finally(() => clearTimeout(timer));
  }

  #handOn(): void {
    if (this.#gathered.length === 0) return;
    const batch = this.#gathered;
    this.#gathered = emptyBatch(this.#spare.pop());
    this.#queue(batch);
  }

  #queue(batch: Batch): void {
    const waiting = this.#waiting.reduce((sum, { bytes }) => sum + bytes.length, batch.bytes.length);
    if (this.#state === 'closed' || waiting > MAX_WAITING) {
      this.#keep(batch.bytes);
      return;
    }
    this.#waiting.push(batch);
    this.#next();
  }

  /**
   * Sends all that wait on their way, where none is. One by one they would not keep up: the end of a write is heard of once in a turn of the
   * event loop, in which a thousand connections fill several batches.
   */
  readonly #next = (): void => {
    if (this.#onTheirWay > 0 || this.#state === 'closed') return;
    if (this.#waiting.length === 0) {
      if (this.#state === 'closing') this.#end();
      return;
    }
    this.#onTheirWay = this.#waiting.length;
    writev(this.#fd, this.#waiting.map(toWrite), null, (error, count) => {
      this.#onTheirWay = 0;
      if (error === null) this.#went(count);
      else if (isFull(error)) setTimeout(this.#next, TRY_AGAIN);
      else this.#end();
    });
  };

  #went(count: number): void {
    let rest = count;
    for (let [batch] = this.#waiting; batch !== undefined && rest > 0; [batch] = this.#waiting) {
      const taken = Math.min(rest, batch.length - batch.written);
      rest -= taken;
      batch.written += taken;
      if (batch.written < batch.length) break;
      this.#waiting.shift();
      this.#keep(batch.bytes);
    }
    this.#next();
  }

  #keep(bytes: Buffer): void {
    if (bytes.length === BATCH && this.#spare.length < MAX_SPARE) this.#spare.push(bytes);
  }

  #end(): void {
    if (this.#state === 'closed') return;
    this.#state = 'closed';
    clearInterval(this.#timer);
    // Whoever holds the log, as every request does, would hold what nobody will write.
    this.#waiting.length = 0;
    this.#spare.length = 0;
    this.#gathered = NOTHING;
    if (this.#fd > LAST_STANDARD) close(this.#fd, () => undefined);
    this.#closed.resolve();
  }
}

/** What a log that has ended gathers. */
const NOTHING: Batch = { bytes: Buffer.alloc(0), length: 0, written: 0 };

function emptyBatch(bytes: Buffer = Buffer.allocUnsafeSlow(BATCH)): Batch {
  return { bytes, length: 0, written: 0 };
}

function batchOf(text: string): Batch {
  const bytes = Buffer.from(text);
  return { bytes, length: bytes.length, written: 0 };
}

function toWrite({ bytes, length, written }: Batch): Buffer {
  return bytes.subarray(written, length);
}

/** @throws {Error} where the destination is gone, or is a pipe that stays full */
function writeWhole(fd: number, bytes: Buffer): void {
  let tries = 0;
  for (let written = 0; written < bytes.length; ) {
    try {
      written += writeSync(fd, bytes, written);
    } catch (error) {
      tries += 1;
      if (!isFull(error) || tries > MAX_TRIES) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, TRY_AGAIN);
    }
  }
}

function isFull(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EAGAIN';
}
