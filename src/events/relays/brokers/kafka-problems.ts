import { describeFailure } from './connection-settings.ts';

/** The ways in which a client can speak to another kind of listener than the one at its port. */
export interface KafkaConnection {
  readonly isEncrypted: boolean;
  readonly hasCredentials: boolean;
  /** True once a broker has answered: the kind of its listener is right. */
  readonly isEstablished: boolean;
}

/** An error with those that it combines, and their causes. */
export function listErrors(error: unknown): readonly Error[] {
  if (!(error instanceof Error)) return [];
  const combined: readonly unknown[] = error instanceof AggregateError ? error.errors : [];
  return [error, ...[...combined, error.cause].flatMap(listErrors)];
}

/** The name of an error of a broker, such as MESSAGE_TOO_LARGE; null for other errors. */
export function readApiId(error: Error): string | null {
  return 'apiId' in error && typeof error.apiId === 'string' ? error.apiId : null;
}

/**
 * Describes an error of the client by its innermost cause: the others say that something failed, or how often. Names
 * the likely mistake where a listener without TLS or SASL is spoken to with it, or the reverse.
 */
export function describeKafkaFailure(error: unknown, connection: KafkaConnection): string {
  const errors = listErrors(error);
  return (
    describeAuthentication(errors) ?? describeListener(errors, connection) ?? describeFailure(errors.at(-1) ?? error)
  );
}

/** The answer of a broker to credentials; null for another error. */
function describeAuthentication(errors: readonly Error[]): string | null {
  const answers = errors.map(readApiId);
  if (answers.includes('ILLEGAL_SASL_STATE'))
    return 'the listener of Kafka has no SASL: remove the credentials, or name the port of a listener with SASL';
  if (answers.includes('UNSUPPORTED_SASL_MECHANISM')) return 'the listener of Kafka has no SASL/PLAIN: enable it';
  const isRefused = errors.some((each) => 'code' in each && each.code === 'PLT_KFK_AUTHENTICATION');
  return isRefused && !isClosed(errors) ? 'Kafka refused the credentials' : null;
}

/** Brokers close a connection of another kind than that of their listener, without a reason. */
function describeListener(
  errors: readonly Error[],
  { isEncrypted, hasCredentials, isEstablished }: KafkaConnection,
): string | null {
  if (errors.some(({ message }) => message === 'Broker requires TLS.'))
    return 'the listener of Kafka requires TLS: write kafkas:// in the URL';
  if (isEstablished || !isClosed(errors)) return null;
  const isHandshake = errors.some(({ message }) => message.startsWith('TLS handshake failed'));
  if (isEncrypted && isHandshake)
    return 'Kafka closed the connection before TLS began: if its listener has no TLS, write kafka:// in the URL';
  if (!hasCredentials)
    return 'Kafka closed the connection: if its listener requires SASL, set credentials (SASL/PLAIN)';
  return isEncrypted
    ? null
    : 'Kafka closed the connection before it took the credentials: if its listener requires TLS, write kafkas:// in the URL';
}

/** True if a broker has ended a connection, and not answered. */
function isClosed(errors: readonly Error[]): boolean {
  const last = errors.at(-1);
  return last?.message === 'Connection closed' || (last !== undefined && 'code' in last && last.code === 'ECONNRESET');
}
