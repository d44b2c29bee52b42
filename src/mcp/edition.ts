/** The editions of the protocol that are served: the newest one, and the one before. */
export const EDITION = { newest: '2026-07-28', before: '2025-11-25' } as const;
