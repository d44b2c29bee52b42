import { isLoopbackHost } from './host.ts';

/**
 * The reason why keys and metadata of an issuer are not fetched from a URL; null if they may be. Over plain http they
 * could be replaced on their way, except on this machine.
 */
export function urlProblem(text: string): string | null {
  const url = URL.parse(text);
  if (url === null) return 'is not a URL';
  if (url.username !== '' || url.password !== '') return 'has a user name or a password';
  if (url.hash !== '') return 'has a fragment';
  if (url.protocol === 'https:') return null;
  if (url.protocol !== 'http:') return 'is not an https URL';
  return isLoopbackHost(url.host) ? null : 'is not an https URL: over http, keys could be replaced on their way';
}
