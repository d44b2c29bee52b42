import { close, writeSync, writev } from 'node:fs';

/** Where log lines go. */
export interface LogWriter {
  /** Takes whole lines; the caller never waits. They are written within a quarter of a second while the destination takes them. */
  readonly write: (text: string) => void;
  /** Writes at once what is left, for a process that is about to end without more turns of the event loop. */
  flushSync(): void;
  /** Writes what is left and lets go of the destination, within a second. Lines written later are dropped. */
  close(): Promise<void>;
}

/** Lines are gathered up to so many bytes or milliseconds, so that a busy server writes once for many requests. */
const BUFFER_SIZE = 65_536;
const FLUSH_INTERVAL = 250;
/** Bytes that UTF-8 takes at most for a unit of a text. */
const MAX_BYTES_PER_UNIT = 3;
/** Bytes that wait for a reader that has stopped; what is gathered beyond it is dropped, for a log must not exhaust the memory. */
const MAX_QUEUED = 16 * 1024 * 1024;
/** Buffers that are kept to be filled again: what a thousand requests fill in a turn of the event loop, twice. */
const MAX_SPARE = 8;
/** Milliseconds before a full pipe is tried again, and how often `flush` tries before it is given up. */
const RETRY_DELAY = 100;
const MAX_TRIES = 5;
const CLOSE_TIMEOUT = 1_000;
const LAST_STANDARD = 2;

/** Whole lines in UTF-8. */
interface LogBuffer {
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
export function openLog(fd: number): LogWriter {
  return new LogFile(fd);
}

/** Lines become bytes at once, in buffers that are filled again: texts that wait to be written would grow old for the garbage collector. */
class LogFile implements LogWriter {
  readonly #fd: number;
  readonly #timer: NodeJS.Timeout;
  #state: 'open' | 'closing' | 'closed' = 'open';
  #current: LogBuffer = emptyBuffer();
  /** Oldest first. */
  readonly #queued: LogBuffer[] = [];
  /** How many of them are being written. */
  #inFlight = 0;
  readonly #spareBuffers: Buffer[] = [];
  readonly #closed = Promise.withResolvers<void>();

  constructor(fd: number) {
    this.#fd = fd;
    const regularly = (): void => {
      if (this.#queued.length === 0) this.#flush();
    };
    this.#timer = setInterval(regularly, FLUSH_INTERVAL).unref();
  }

  readonly write = (text: string): void => {
    if (this.#state !== 'open') return;
    const most = text.length * MAX_BYTES_PER_UNIT;
    if (this.#current.length + most > BUFFER_SIZE) this.#flush();
    const batch = this.#current;
    if (most <= BUFFER_SIZE) batch.length += batch.bytes.write(text, batch.length);
    else this.#enqueue(bufferOf(text));
  };

  flushSync(): void {
    if (this.#state === 'closed') return;
    // Those on their way are written by another thread, which a process that ends waits for.
    const left = [...this.#queued.splice(this.#inFlight), this.#current];
    this.#current = emptyBuffer();
    try {
      for (const batch of left) writeAllSync(this.#fd, unwritten(batch));
    } catch {
      this.#end();
    }
  }

  close(): Promise<void> {
    if (this.#state !== 'open') return this.#closed.promise;
    this.#flush();
    this.#state = 'closing';
    const timer = setTimeout(() => this.#end(), CLOSE_TIMEOUT);
    this.#writeQueued();
    return this.#closed.promise.finally(() => clearTimeout(timer));
  }

  #flush(): void {
    if (this.#current.length === 0) return;
    const batch = this.#current;
    this.#current = emptyBuffer(this.#spareBuffers.pop());
    this.#enqueue(batch);
  }

  #enqueue(batch: LogBuffer): void {
    const waiting = this.#queued.reduce((sum, { bytes }) => sum + bytes.length, batch.bytes.length);
    if (this.#state === 'closed' || waiting > MAX_QUEUED) {
      this.#recycle(batch.bytes);
      return;
    }
    this.#queued.push(batch);
    this.#writeQueued();
  }

  /**
   * Sends all that wait on their way, where none is. One by one they would not keep up: the end of a write is heard of once in a turn of the
   * event loop, in which a thousand connections fill several batches.
   */
  readonly #writeQueued = (): void => {
    if (this.#inFlight > 0 || this.#state === 'closed') return;
    if (this.#queued.length === 0) {
      if (this.#state === 'closing') this.#end();
      return;
    }
    this.#inFlight = this.#queued.length;
    writev(this.#fd, this.#queued.map(unwritten), null, (error, count) => {
      this.#inFlight = 0;
      if (error === null) this.#written(count);
      else if (isFull(error)) setTimeout(this.#writeQueued, RETRY_DELAY);
      else this.#end();
    });
  };

  #written(count: number): void {
    let rest = count;
    for (let [batch] = this.#queued; batch !== undefined && rest > 0; [batch] = this.#queued) {
      const taken = Math.min(rest, batch.length - batch.written);
      rest -= taken;
      batch.written += taken;
      if (batch.written < batch.length) break;
      this.#queued.shift();
      this.#recycle(batch.bytes);
    }
    this.#writeQueued();
  }

  #recycle(bytes: Buffer): void {
    if (bytes.length === BUFFER_SIZE && this.#spareBuffers.length < MAX_SPARE) this.#spareBuffers.push(bytes);
  }

  #end(): void {
    if (this.#state === 'closed') return;
    this.#state = 'closed';
    clearInterval(this.#timer);
    // Whoever holds the log, as every request does, would hold what nobody will write.
    this.#queued.length = 0;
    this.#spareBuffers.length = 0;
    this.#current = NOTHING;
    if (this.#fd > LAST_STANDARD) close(this.#fd, () => undefined);
    this.#closed.resolve();
  }
}

/** What a log that has ended gathers. */
const NOTHING: LogBuffer = { bytes: Buffer.alloc(0), length: 0, written: 0 };

function emptyBuffer(bytes: Buffer = Buffer.allocUnsafeSlow(BUFFER_SIZE)): LogBuffer {
  return { bytes, length: 0, written: 0 };
}

function bufferOf(text: string): LogBuffer {
  const bytes = Buffer.from(text);
  return { bytes, length: bytes.length, written: 0 };
}

function unwritten({ bytes, length, written }: LogBuffer): Buffer {
  return bytes.subarray(written, length);
}

/** @throws {Error} where the destination is gone, or is a pipe that stays full */
function writeAllSync(fd: number, bytes: Buffer): void {
  let tries = 0;
  for (let written = 0; written < bytes.length; ) {
    try {
      written += writeSync(fd, bytes, written);
    } catch (error) {
      tries += 1;
      if (!isFull(error) || tries > MAX_TRIES) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, RETRY_DELAY);
    }
  }
}

function isFull(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EAGAIN';
}
