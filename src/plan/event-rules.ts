import type { AccessRule, Model } from '../model/model.ts';

/** The rule for readers of the event log (AUTH-4, EVT-8). Without `auth` nothing needs credentials. */
export function eventsRule({ auth, system }: Pick<Model, 'auth' | 'system'>): AccessRule {
  return auth === null ? { kind: 'public' } : { kind: 'scope', scope: `${system.events}:read` };
}

/**
 * The scope with which a caller sees the events of every row, also of those that policies cannot judge any more
 * (EVT-8).
 */
export function eventsAdminScope({ system }: Pick<Model, 'system'>): string {
  return `${system.events}:admin`;
}
