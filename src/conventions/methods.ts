/** The methods that the interface gives a meaning to (MET-1 to MET-5, MET-9). */
export type Method = 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS' | 'QUERY';

const served: ReadonlySet<string> = new Set<Method>([
  'GET',
  'HEAD',
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
  'OPTIONS',
  'QUERY',
]);

/** The IANA registry of HTTP methods without what is served; `*` stands there only so that nobody takes it. */
const registeredOnly: ReadonlySet<string> = new Set(
  `ACL BASELINE-CONTROL BIND CHECKIN CHECKOUT CONNECT COPY LABEL LINK LOCK MERGE MKACTIVITY MKCALENDAR MKCOL
   MKREDIRECTREF MKWORKSPACE MOVE ORDERPATCH PRI PROPFIND PROPPATCH REBIND REPORT SEARCH TRACE UNBIND UNCHECKOUT
   UNLINK UNLOCK UPDATE UPDATEREDIRECTREF VERSION-CONTROL`.split(/\s+/),
);

/** Whether a method is one that the interface knows. Methods are case-sensitive (RFC 9110 9.1): `get` is none. */
export function isMethod(method: string): method is Method {
  return served.has(method);
}

/** Whether a method is registered with IANA. One that is and that a target lacks is 405, one known nowhere is 501 (MET-6). */
export function isRegisteredMethod(method: string): boolean {
  return served.has(method) || registeredOnly.has(method);
}
