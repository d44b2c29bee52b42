import { close, writeSync, writev } from 'node:fs';

/** A destination of log lines. */
export interface LogWriter {
  /** Buffers whole lines without blocking. They are written within 250 ms unless the destination is full. */
  readonly write: (text: string) => void;
  /** Writes the buffered lines synchronously, before a process exits without another event-loop iteration. */
  flushSync(): void;
  /** Writes the buffered lines and closes the destination, within a second. Later lines are dropped. */
  close(): Promise<void>;
}

/** Bytes of one buffer, and milliseconds between two flushes: a busy server writes once for many requests. */
const BUFFER_SIZE = 65_536;
const FLUSH_INTERVAL = 250;
/** Maximum UTF-8 bytes of one UTF-16 code unit. */
const MAX_BYTES_PER_UNIT = 3;
/** Maximum bytes queued for a reader that has stopped. More is dropped, because a log must not exhaust the memory. */
const MAX_QUEUED = 16 * 1024 * 1024;
/** Maximum number of buffers to reuse: twice what a thousand requests fill in one event-loop iteration. */
const MAX_SPARE = 8;
/** Milliseconds between two writes to a full pipe, and how often `flushSync` retries. */
const RETRY_DELAY = 100;
const MAX_TRIES = 5;
const CLOSE_TIMEOUT = 1_000;
const LAST_STANDARD = 2;

/** Complete lines in UTF-8. */
interface LogBuffer {
  readonly bytes: Buffer;
  /** Number of filled bytes, and how many of them are written. */
  length: number;
  written: number;
}

/**
 * Opens a log on a file descriptor (OPS-2). Writes to a full pipe (EAGAIN) are retried in the background. A closed pipe
 * (EPIPE) ends the log, never the process.
 *
 * @param fd an open file descriptor, 2 for standard error; `close` closes it unless it is a standard stream
 */
export function openLog(fd: number): LogWriter {
  return new LogFile(fd);
}

/**
 * Encodes lines into reused buffers immediately: queued strings would be promoted to the old generation of the heap.
 */
class LogFile implements LogWriter {
  readonly #fd: number;
  readonly #timer: NodeJS.Timeout;
  #state: 'open' | 'closing' | 'closed' = 'open';
  #current: LogBuffer = emptyBuffer();
  /** Oldest first. */
  readonly #queued: LogBuffer[] = [];
  /** Number of queued buffers that are being written. */
  #inFlight = 0;
  readonly #spareBuffers: Buffer[] = [];
  readonly #closed = Promise.withResolvers<void>();

  constructor(fd: number) {
    this.#fd = fd;
    const flushIfIdle = (): void => {
      if (this.#queued.length === 0) this.#flush();
    };
    this.#timer = setInterval(flushIfIdle, FLUSH_INTERVAL).unref();
  }

  readonly write = (text: string): void => {
    if (this.#state !== 'open') return;
    const maxBytes = text.length * MAX_BYTES_PER_UNIT;
    if (this.#current.length + maxBytes > BUFFER_SIZE) this.#flush();
    const buffer = this.#current;
    if (maxBytes <= BUFFER_SIZE) buffer.length += buffer.bytes.write(text, buffer.length);
    else this.#enqueue(createBuffer(text));
  };

  flushSync(): void {
    if (this.#state === 'closed') return;
    // Another thread writes the buffers in flight, and the process waits for it at exit.
    const pending = [...this.#queued.splice(this.#inFlight), this.#current];
    this.#current = emptyBuffer();
    try {
      for (const buffer of pending) writeAllSync(this.#fd, unwritten(buffer));
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
    const buffer = this.#current;
    this.#current = emptyBuffer(this.#spareBuffers.pop());
    this.#enqueue(buffer);
  }

  #enqueue(buffer: LogBuffer): void {
    const waiting = this.#queued.reduce((sum, { bytes }) => sum + bytes.length, buffer.bytes.length);
    if (this.#state === 'closed' || waiting > MAX_QUEUED) {
      this.#recycle(buffer.bytes);
      return;
    }
    this.#queued.push(buffer);
    this.#writeQueued();
  }

  /**
   * Writes all queued buffers in one call, unless a write is in flight. One buffer per call would be too slow: a write
   * completes at most once per event-loop iteration, in which a thousand connections fill several buffers.
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
      if (error === null) this.#onWritten(count);
      else if (isFull(error)) setTimeout(this.#writeQueued, RETRY_DELAY);
      else this.#end();
    });
  };

  #onWritten(count: number): void {
    let rest = count;
    for (let [buffer] = this.#queued; buffer !== undefined && rest > 0; [buffer] = this.#queued) {
      const written = Math.min(rest, buffer.length - buffer.written);
      rest -= written;
      buffer.written += written;
      if (buffer.written < buffer.length) break;
      this.#queued.shift();
      this.#recycle(buffer.bytes);
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
    // Requests hold a reference to the log; the buffers must not stay in memory with it.
    this.#queued.length = 0;
    this.#spareBuffers.length = 0;
    this.#current = NO_BUFFER;
    if (this.#fd > LAST_STANDARD) close(this.#fd, () => undefined);
    this.#closed.resolve();
  }
}

/** The buffer of a log that has ended. */
const NO_BUFFER: LogBuffer = { bytes: Buffer.alloc(0), length: 0, written: 0 };

function emptyBuffer(bytes: Buffer = Buffer.allocUnsafeSlow(BUFFER_SIZE)): LogBuffer {
  return { bytes, length: 0, written: 0 };
}

function createBuffer(text: string): LogBuffer {
  const bytes = Buffer.from(text);
  return { bytes, length: bytes.length, written: 0 };
}

function unwritten({ bytes, length, written }: LogBuffer): Buffer {
  return bytes.subarray(written, length);
}

/** @throws {Error} if the destination is closed, or is a pipe that stays full */
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
