/** A finding of a linter that is accepted, and why. */
export interface LintException {
  readonly rule: string;
  /** The place where it is accepted, as a path with slashes; absent: everywhere. */
  readonly at?: RegExp;
  readonly why: string;
}

/** Every accepted finding. The test fails on any other one, and on an exception that no longer has a finding. */
export const EXCEPTIONS: readonly LintException[] = [
  {
    rule: 'info-license',
    why: 'A model has no licence: it belongs to the operator of an API, who may add it to a published copy.',
  },
  { rule: 'info-contact', why: 'As for the licence.' },
  {
    rule: 'oas3-operation-security-defined',
    why: 'The rule looks for scopes in OAuth flows. OpenAPI 3.1 lets every scheme list the roles that an operation needs; bearer tokens of any issuer have no flow that the server knows.',
  },
  { rule: 'owasp:api9:2023-inventory-access', why: 'Whether a server is internal is a fact of its deployment.' },
  { rule: 'owasp:api9:2023-inventory-environment', why: 'As for the access.' },
  {
    rule: 'owasp:api4:2023-rate-limit-responses-429',
    at: /^paths\/\/(?:livez|readyz|\.well-known)|\/head\//,
    why: 'Health checks are not limited; a HEAD has 4XX, since its errors have no body.',
  },
  {
    rule: 'owasp:api8:2023-define-error-responses-401',
    at: /^paths\/\/(?:livez|readyz|\.well-known)|\/head\//,
    why: 'Health checks need no credentials; a HEAD has 4XX.',
  },
  { rule: 'owasp:api8:2023-define-error-responses-500', at: /\/head\//, why: 'A HEAD has 5XX.' },
  {
    rule: 'owasp:api4:2023-string-limit',
    why: 'A text without maxLength is bounded by the limit of a body, of a row or of a URL, which no single member knows.',
  },
  { rule: 'owasp:api4:2023-string-restricted', why: 'A text may be any text, unless the model restricts it.' },
  {
    rule: 'owasp:api4:2023-integer-format',
    why: 'Integers are those of JSON, from -(2^53-1) to 2^53-1: neither int32 nor int64. Their bounds say so.',
  },
  {
    rule: 'owasp:api4:2023-integer-limit',
    at: /(?:QUERY\/requestBody\/.*\/properties|parameters)\/(?:query\.)?(?:limit|per_page|page)\b/,
    why: 'A number above the largest page size is accepted and means that size; the largest page number depends on the page size.',
  },
  {
    rule: 'owasp:api4:2023-array-limit',
    at: /ProtectedResourceMetadata|changed_fields|creator\/properties\/scopes|query\.(?:(?:resource_)?type|collection)/,
    why: 'Issuers, scopes, fields and types of events are as many as the model or a token has.',
  },
  {
    rule: 'owasp:api8:2023-define-cors-origin',
    at: /Batch(?:Create)?\/(?:properties|examples)\/.*\/headers$/,
    why: 'A member of a body that is named headers, taken for the header fields of a response.',
  },
];
