/** Messages to another process that it answers, by their ids. */
export class PendingReplies<T> {
  readonly #waiting = new Map<number, (answer: T) => void>();
  #lastId = 0;

  /** @param send sends the message with its id */
  request(send: (id: number) => void): Promise<T> {
    const { promise, resolve } = Promise.withResolvers<T>();
    this.#lastId += 1;
    this.#waiting.set(this.#lastId, resolve);
    send(this.#lastId);
    return promise;
  }

  /** Passes an answer on. */
  receive(id: number, answer: T): void {
    this.#waiting.get(id)?.(answer);
    this.#waiting.delete(id);
  }

  /** Answers all that wait: the other process is gone. */
  answerAll(answer: T): void {
    for (const id of this.#waiting.keys()) this.receive(id, answer);
  }
}
