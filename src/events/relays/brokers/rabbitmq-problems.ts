import type { RelayMessage } from '../broker.ts';
import { describeFailure } from './connection-settings.ts';

/** The code of an error of the client or of Node.js: `NOT_FOUND`, `ECONNREFUSED`; null if it has none. */
export function findErrorCode(error: unknown): string | null {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : null;
}

/** Describes an exchange that does not exist. */
export function describeMissingExchange(exchange: string): string {
  return `the exchange ${exchange} does not exist; create it as a durable topic exchange, or set create: true`;
}

/** Describes a message that no queue takes. */
export function describeReturn({ destination, routingKey }: RelayMessage): string {
  return `no queue takes the routing key ${routingKey} of the exchange ${destination}; bind one, or set unroutable: drop`;
}

/** Describes a message that a queue refused. */
export function describeRefusal({ destination }: RelayMessage): string {
  return `a queue of the exchange ${destination} refused a message; it is full, or has failed`;
}

/** Describes an error that ended the connection, or kept it from being made. */
export function describeConnectionError(error: Error, address: string): string {
  const code = findErrorCode(error) ?? '';
  const { message } = error;
  switch (code) {
    case 'NOT_FOUND':
      return describeMissingExchange(/no exchange '([^']*)'/.exec(message)?.[1] ?? '');
    case 'NOT_ALLOWED':
      return `the virtual host does not exist on ${address}, or the user may not use it`;
    case 'ACCESS_REFUSED': {
      const exchange = /access to exchange '([^']*)'/.exec(message)?.[1];
      return exchange === undefined
        ? `RabbitMQ at ${address} refuses the credentials`
        : `the user may not use the exchange ${exchange}; it needs the permission to write, and to configure for create`;
    }
    default:
      return /^E[A-Z]+$/.test(code)
        ? `no connection to ${address}: ${code}`
        : `no connection to ${address}: ${describeFailure(error)}`;
  }
}
