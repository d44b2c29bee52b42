import { useRef } from 'react';
import { webPlatform } from '../../../src/platform/web.ts';

/**
 * Chooses the `Idempotency-Key` of a write. A write that is repeated unchanged has the key of its first attempt. So the
 * server carries it out once, also where the first response was lost (MET-12).
 */
export function useWriteKeys(): (write: unknown) => string {
  const last = useRef({ write: '', key: '' });
  return (write) => {
    const text = JSON.stringify(write);
    if (last.current.write !== text) last.current = { write: text, key: webPlatform.uniqueKey() };
    return last.current.key;
  };
}
