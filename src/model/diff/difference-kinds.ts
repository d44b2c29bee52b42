/**
 * The effect of a difference on a client that was written for the old model.
 * It breaks the client, or a strict one that refuses unknown values; it allows or promises more; or it has no effect.
 */
export type Impact = 'breaking' | 'possibly-breaking' | 'compatible' | 'none';

/** The effects on requests that were accepted, and on the promises of responses. */
type Impacts = readonly [requests: Impact, responses: Impact];

const [BREAKS, MAY_BREAK, ADDS, SAME] = ['breaking', 'possibly-breaking', 'compatible', 'none'] as const;

/**
 * Every kind of difference of two models, with its effects on requests and responses. The law: accepting fewer requests
 * breaks requests, and promising less breaks responses; the opposite of each is compatible. docs/decisions has the
 * reasons.
 */
export const MODEL_DIFFERENCE_KINDS = {
  // The API
  'name-changed': [BREAKS, BREAKS],
  'title-changed': [SAME, SAME],
  'base-path-changed': [BREAKS, BREAKS],
  'public-url-changed': [SAME, MAY_BREAK],
  'default-version-changed': [BREAKS, BREAKS],
  'batches-renamed': [BREAKS, BREAKS],
  'events-renamed': [BREAKS, BREAKS],
  'tls-required': [BREAKS, SAME],
  'tls-not-required': [ADDS, SAME],
  'descriptions-restricted': [BREAKS, SAME],
  'descriptions-published': [ADDS, SAME],
  'origin-allowed': [ADDS, SAME],
  'origin-refused': [BREAKS, SAME],
  'authentication-required': [BREAKS, SAME],
  'authentication-not-required': [ADDS, SAME],
  'credentials-accepted': [ADDS, SAME],
  'credentials-refused': [BREAKS, SAME],
  'client-claim-changed': [MAY_BREAK, MAY_BREAK],
  'limit-lowered': [BREAKS, SAME],
  'limit-raised': [ADDS, SAME],
  'rate-lowered': [MAY_BREAK, SAME],
  'rate-raised': [ADDS, SAME],
  'page-size-changed': [SAME, MAY_BREAK],
  'page-maximum-lowered': [MAY_BREAK, SAME],
  'page-maximum-raised': [ADDS, SAME],
  'page-reach-lowered': [SAME, MAY_BREAK],
  'page-reach-raised': [SAME, ADDS],
  'timeout-changed': [SAME, SAME],
  // Resources
  'resource-added': [ADDS, ADDS],
  'resource-removed': [BREAKS, BREAKS],
  'resource-renamed': [BREAKS, BREAKS],
  'singular-changed': [BREAKS, BREAKS],
  'error-codes-changed': [SAME, BREAKS],
  'id-rule-changed': [BREAKS, MAY_BREAK],
  'parent-changed': [BREAKS, BREAKS],
  'link-added': [ADDS, ADDS],
  'link-removed': [BREAKS, BREAKS],
  'link-changed': [BREAKS, BREAKS],
  'unique-added': [BREAKS, ADDS],
  'unique-removed': [ADDS, MAY_BREAK],
  'search-added': [ADDS, SAME],
  'search-removed': [BREAKS, SAME],
  'search-changed': [SAME, MAY_BREAK],
  'sort-changed': [SAME, MAY_BREAK],
  'time-field-changed': [MAY_BREAK, MAY_BREAK],
  'query-added': [ADDS, SAME],
  'query-removed': [BREAKS, SAME],
  'events-added': [SAME, ADDS],
  'events-removed': [SAME, BREAKS],
  'access-narrower': [BREAKS, SAME],
  'access-wider': [ADDS, SAME],
  'access-changed': [BREAKS, SAME],
  'field-read-narrower': [BREAKS, BREAKS],
  'field-read-wider': [ADDS, ADDS],
  'field-read-changed': [BREAKS, BREAKS],
  'row-policy-changed': [MAY_BREAK, MAY_BREAK],
  'owner-changed': [MAY_BREAK, MAY_BREAK],
  'resource-read-only': [BREAKS, SAME],
  'resource-writable': [ADDS, SAME],
  'if-match-required': [BREAKS, SAME],
  'if-match-not-required': [ADDS, SAME],
  'idempotency-key-required': [BREAKS, SAME],
  'idempotency-key-not-required': [ADDS, SAME],
  'deleted-ids-changed': [SAME, MAY_BREAK],
  'caching-changed': [SAME, SAME],
  'state-machine-added': [BREAKS, SAME],
  'state-machine-removed': [ADDS, SAME],
  'initial-state-changed': [BREAKS, MAY_BREAK],
  'transition-added': [ADDS, SAME],
  'transition-removed': [BREAKS, SAME],
  'order-changed': [SAME, SAME],
  // Fields and the members inside them
  'field-added': [ADDS, ADDS],
  'required-field-added': [BREAKS, ADDS],
  'field-removed': [BREAKS, BREAKS],
  'field-renamed': [BREAKS, BREAKS],
  'field-required': [BREAKS, SAME],
  'field-not-required': [ADDS, SAME],
  'read-only-added': [BREAKS, SAME],
  'read-only-removed': [ADDS, SAME],
  'write-only-added': [BREAKS, BREAKS],
  'write-only-removed': [ADDS, ADDS],
  'immutable-added': [BREAKS, SAME],
  'immutable-removed': [ADDS, SAME],
  'shown-once-added': [SAME, BREAKS],
  'shown-once-removed': [SAME, ADDS],
  'generated-added': [SAME, ADDS],
  'generated-removed': [SAME, MAY_BREAK],
  'generated-changed': [SAME, MAY_BREAK],
  'reference-added': [BREAKS, ADDS],
  'reference-removed': [ADDS, MAY_BREAK],
  'reference-changed': [BREAKS, BREAKS],
  'unread-reference-hidden': [MAY_BREAK, SAME],
  'unread-reference-allowed': [ADDS, SAME],
  'relation-added': [ADDS, ADDS],
  'relation-removed': [BREAKS, BREAKS],
  'relation-renamed': [BREAKS, BREAKS],
  'delete-restricted': [BREAKS, SAME],
  'delete-effect-changed': [MAY_BREAK, SAME],
  // Values
  'type-narrower': [BREAKS, ADDS],
  'type-wider': [ADDS, BREAKS],
  'type-changed': [BREAKS, BREAKS],
  'null-refused': [BREAKS, ADDS],
  'null-allowed': [ADDS, BREAKS],
  'enum-added': [BREAKS, ADDS],
  'enum-removed': [ADDS, BREAKS],
  'enum-value-added': [ADDS, MAY_BREAK],
  'enum-value-removed': [BREAKS, ADDS],
  'values-narrower': [BREAKS, ADDS],
  'values-wider': [ADDS, MAY_BREAK],
  'values-changed': [MAY_BREAK, MAY_BREAK],
  'default-changed': [MAY_BREAK, MAY_BREAK],
  'annotation-changed': [SAME, SAME],
} as const satisfies Readonly<Record<string, Impacts>>;

/**
 * The kinds that two descriptions have besides: their parts are operations, and a schema belongs to requests or to
 * responses.
 */
export const DESCRIPTION_DIFFERENCE_KINDS = {
  'operation-added': [ADDS, ADDS],
  'operation-removed': [BREAKS, BREAKS],
  'operation-id-changed': [MAY_BREAK, SAME],
  'parameter-added': [ADDS, SAME],
  'required-parameter-added': [BREAKS, SAME],
  'parameter-removed': [BREAKS, SAME],
  'parameter-required': [BREAKS, SAME],
  'parameter-not-required': [ADDS, SAME],
  'parameter-style-changed': [BREAKS, SAME],
  'body-added': [ADDS, SAME],
  'body-removed': [BREAKS, SAME],
  'body-required': [BREAKS, SAME],
  'body-not-required': [ADDS, SAME],
  'media-type-added': [ADDS, ADDS],
  'media-type-removed': [BREAKS, BREAKS],
  'response-added': [SAME, MAY_BREAK],
  'success-response-removed': [SAME, BREAKS],
  'error-response-removed': [SAME, ADDS],
  'header-added': [SAME, ADDS],
  'header-removed': [SAME, MAY_BREAK],
  'required-header-removed': [SAME, BREAKS],
  'member-always-present': [SAME, ADDS],
  'member-not-always-present': [SAME, BREAKS],
  'alternative-added': [ADDS, BREAKS],
  'alternative-removed': [BREAKS, ADDS],
} as const satisfies Readonly<Record<string, Impacts>>;

export const DIFFERENCE_KINDS = { ...MODEL_DIFFERENCE_KINDS, ...DESCRIPTION_DIFFERENCE_KINDS } as const;

/** A kind of difference between two models, or between two descriptions. */
export type DifferenceKind = keyof typeof DIFFERENCE_KINDS;
