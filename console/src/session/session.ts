/** The caller of a page: a token in memory, never in storage. */
export interface SessionState {
  readonly token: string | null;
  /** True while requests wait for the user to sign in. */
  readonly isAsking: boolean;
  /** True if the user reads what needs no caller. */
  readonly isAnonymous: boolean;
}

/** Keeps the token of a page, and asks for another when the server refuses it. */
export class Session {
  #state: SessionState = { token: null, isAsking: false, isAnonymous: false };
  readonly #listeners = new Set<() => void>();
  readonly #waiting = new Set<(isSignedIn: boolean) => void>();

  readonly read = (): SessionState => this.#state;

  /** Calls the listener after every change. @returns a function that ends it */
  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Uses a token or API key from now on. Requests that wait are sent with it. */
  readonly signIn = (token: string): void => {
    this.#change({ token, isAsking: false, isAnonymous: false });
    this.#answer(true);
  };

  /** Continues without a caller. */
  readonly continueAnonymously = (): void => this.#change({ token: null, isAsking: false, isAnonymous: true });

  readonly signOut = (): void => {
    this.#change({ token: null, isAsking: false, isAnonymous: false });
    this.#answer(false);
  };

  /** Ends the question without an answer: the requests that wait fail. */
  readonly dismiss = (): void => {
    this.#change({ ...this.#state, isAsking: false });
    this.#answer(false);
  };

  /**
   * Asks the user to sign in, because the server has refused a token.
   *
   * @returns true after a sign-in, also one that happened since the refused request
   */
  readonly renew = (refused: string | null): Promise<boolean> => {
    if (this.#state.token !== refused) return Promise.resolve(true);
    this.#change({ ...this.#state, isAsking: true });
    return new Promise((resolve) => this.#waiting.add(resolve));
  };

  #change(state: SessionState): void {
    this.#state = state;
    for (const listener of this.#listeners) listener();
  }

  #answer(isSignedIn: boolean): void {
    for (const resolve of this.#waiting) resolve(isSignedIn);
    this.#waiting.clear();
  }
}
