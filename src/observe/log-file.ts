import sonicBoom, { type SonicBoom } from 'sonic-boom';

/** Where log lines go. */
export interface Log {
  /** Takes whole lines; the caller never waits. They are written within a quarter of a second while the destination takes them. */
  readonly write: (text: string) => void;
  /** Writes at once what is left, for a process that is about to end without more turns of the event loop. */
  flush(): void;
  /** Writes what is left and lets go of the destination, within a second. Lines written later are dropped. */
  close(): Promise<void>;
}

/**
 * Lines are gathered up to so many characters or milliseconds, so that a busy server writes once for many requests. A text of twice as many
 * would be one that the garbage collector never moves, and seldom looks at. They are gathered here, for sonic-boom measures all that it holds
 * whenever it is given more.
 */
const BATCH = 65_536;
const WRITE_EVERY = 250;
/** Bytes that wait for a reader that has stopped; what is gathered beyond it is dropped, for a log must not exhaust the memory. */
const MAX_WAITING = 16 * 1024 * 1024;
/** Tries of `flush`, a tenth of a second apart, before a full pipe is given up. */
const MAX_RETRIES = 5;
const CLOSE_WITHIN = 1_000;

/**
 * Writes to a file descriptor (OPS-2). A full pipe (EAGAIN) is waited for off the path; a destination that is gone (EPIPE) ends
 * the log and never the program: nobody is left to tell.
 *
 * @param fd an open file descriptor, 2 for standard error; it is closed with the log unless it is a standard one
 */
export function openLog(fd: number): Log {
  let open = true;
  let flushing = false;
  let retries = 0;
  const file = new sonicBoom.SonicBoom({
    fd,
    maxWrite: BATCH,
    maxLength: MAX_WAITING,
    retryEAGAIN: () => !flushing || (retries += 1) <= MAX_RETRIES,
  });
  file.on('error', () => {
    open = false;
    file.destroy();
  });
  const lines = gathering((text) => void (open && file.write(text)));
  return {
    write: lines.add,
    flush() {
      if (!open) return;
      lines.handOn();
      flushing = true;
      try {
        file.flushSync();
      } catch {
        open = false;
        file.destroy();
      }
      flushing = false;
    },
    close() {
      lines.close();
      if (!open) return Promise.resolve();
      open = false;
      return ended(file);
    },
  };
}

/** Gathers what is added, and hands it on together. */
function gathering(write: (text: string) => void): {
  readonly add: (text: string) => void;
  readonly handOn: () => void;
  /** Hands on what is left; from then on nothing else does. */
  readonly close: () => void;
} {
  let gathered = '';
  const handOn = (): void => {
    const text = gathered;
    gathered = '';
    if (text !== '') write(text);
  };
  const add = (text: string): void => {
    gathered += text;
    if (gathered.length >= BATCH) handOn();
  };
  const timer = setInterval(handOn, WRITE_EVERY).unref();
  const close = (): void => {
    clearInterval(timer);
    handOn();
  };
  return { add, handOn, close };
}

function ended(file: SonicBoom): Promise<void> {
  return new Promise((resolve) => {
    const finish = (): void => {
      clearTimeout(timer);
      resolve();
    };
    const timer = setTimeout(() => {
      file.destroy();
      resolve();
    }, CLOSE_WITHIN);
    file.once('close', finish).once('error', finish);
    file.end();
  });
}
