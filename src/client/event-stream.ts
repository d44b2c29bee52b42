/** An event of an event stream (HTML, 9.2). */
export interface StreamedEvent {
  /** The name of the event; null for one without. */
  readonly event: string | null;
  /** The last id so far; null before the first. */
  readonly id: string | null;
  /** Its lines of data, joined by line feeds; null for a block without data, which is no event. */
  readonly data: string | null;
}

const LINE_BREAK = /\r\n|\n|\r/g;

/** Reads the events of an event stream, as the standard says, from pieces of its text. */
export class EventStreamReader {
  readonly #max: number;
  /** The characters of an unfinished line. */
  #text = '';
  /** True if the last piece ended with CR, which a line feed may follow. */
  #hasOpenReturn = false;
  #event: string | null = null;
  #id: string | null = null;
  #data: string[] = [];
  #size = 0;

  /** @param max the maximum number of characters of one event */
  constructor(max: number) {
    this.#max = max;
  }

  /**
   * The blocks that end in a piece of the stream.
   *
   * @throws {RangeError} an event is longer than the maximum
   */
  *push(piece: string): Generator<StreamedEvent, void> {
    const added = this.#hasOpenReturn && piece.startsWith('\n') ? piece.slice(1) : piece;
    if (piece !== '') this.#hasOpenReturn = piece.endsWith('\r');
    const lines = (this.#text + added).split(LINE_BREAK);
    this.#text = lines.pop() ?? '';
    for (const line of lines) {
      if (line === '') yield this.#finish();
      else this.#read(line);
    }
    this.#require(this.#size + this.#text.length);
  }

  #read(line: string): void {
    this.#size += line.length;
    this.#require(this.#size);
    const colon = line.indexOf(':');
    const name = colon === -1 ? line : line.slice(0, colon);
    const value = colon === -1 ? '' : line.slice(colon + (line[colon + 1] === ' ' ? 2 : 1));
    if (name === 'data') this.#data.push(value);
    else if (name === 'event') this.#event = value === '' ? null : value;
    else if (name === 'id' && !value.includes('\0')) this.#id = value;
  }

  #finish(): StreamedEvent {
    const data = this.#data.length === 0 ? null : this.#data.join('\n');
    const finished = { event: this.#event, id: this.#id, data };
    this.#event = null;
    this.#data = [];
    this.#size = 0;
    return finished;
  }

  #require(size: number): void {
    if (size > this.#max) throw new RangeError(`an event is longer than ${this.#max} characters`);
  }
}
