/** The methods that the API supports (MET-1 to MET-5, MET-9). */
export type Method = 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS' | 'QUERY';

const supported: ReadonlySet<string> = new Set<Method>([
  'GET',
  'HEAD',
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
  'OPTIONS',
  'QUERY',
]);

/** The other methods of the IANA registry, without the reserved `*`. */
const registeredOnly: ReadonlySet<string> = new Set(
  `ACL BASELINE-CONTROL BIND CHECKIN CHECKOUT CONNECT COPY LABEL LINK LOCK MERGE MKACTIVITY MKCALENDAR MKCOL
   MKREDIRECTREF MKWORKSPACE MOVE ORDERPATCH PRI PROPFIND PROPPATCH REBIND REPORT SEARCH TRACE UNBIND UNCHECKOUT
   UNLINK UNLOCK UPDATE UPDATEREDIRECTREF VERSION-CONTROL`.split(/\s+/),
);

/** True if the API supports a method. Methods are case-sensitive (RFC 9110 9.1): `get` is unknown. */
export function isMethod(method: string): method is Method {
  return supported.has(method);
}

const safe: ReadonlySet<string> = new Set<Method>(['GET', 'HEAD', 'OPTIONS', 'QUERY']);

/** True if a method changes nothing (RFC 9110 9.2.1, RFC 10008). */
export function isSafeMethod(method: string): boolean {
  return safe.has(method);
}

/**
 * True if a method is registered with IANA. A registered method that a target lacks is 405, an unregistered one 501
 * (MET-6).
 */
export function isRegisteredMethod(method: string): boolean {
  return supported.has(method) || registeredOnly.has(method);
}
