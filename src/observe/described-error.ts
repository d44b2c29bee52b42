const MAX_CAUSES = 5;

/**
 * An error with its stack and its causes, outermost first. Of a thrown value that is not an Error only the type is
 * logged.
 */
export function describeError(thrown: unknown): Readonly<Record<string, unknown>> {
  const [{ name, message, code, stack }, ...causes] = errorChain(thrown);
  return { name, message, code, stack, causes: causes.map((cause) => cause.stack) };
}

/** The facts of one error for the log. */
export interface ErrorFacts {
  readonly name: string;
  readonly message: string;
  readonly code: string | null;
  readonly stack: string;
}

function errorChain(thrown: unknown): [ErrorFacts, ...ErrorFacts[]] {
  const chain: [ErrorFacts, ...ErrorFacts[]] = [errorFacts(thrown)];
  for (let error = thrown; chain.length < MAX_CAUSES && error instanceof Error && error.cause instanceof Error; ) {
    error = error.cause;
    chain.push(errorFacts(error));
  }
  return chain;
}

/** @param thrown of a value that is not an Error only the type is named */
export function errorFacts(thrown: unknown): ErrorFacts {
  if (!(thrown instanceof Error)) {
    const message = `a value of type ${typeof thrown} was thrown`;
    return { name: 'NoError', message, code: null, stack: message };
  }
  const { name, message, stack } = thrown;
  const code = 'code' in thrown && typeof thrown.code === 'string' ? thrown.code : null;
  return { name, message, code, stack: stack ?? `${name}: ${message}` };
}
