import type { CompileContext } from '../../document/compile-context.ts';
import type { GatewayRule } from '../../model.ts';
import { objectOf, stringOf, stringsOf } from '../../values/access.ts';

/** Compiles `auth.gateway` and reports one that could name no caller (AUTH-6); null where the model declares none. */
export function compileGateway({ declared, path, report }: CompileContext): GatewayRule | null {
  const gateway = objectOf(declared['auth'])['gateway'];
  if (gateway === undefined) return null;
  if (stringsOf(declared['trusted_proxies']).length === 0) {
    const fix = 'list the addresses of the gateway in trusted_proxies, such as [10.0.0.0/8]';
    report([...path, 'auth', 'gateway'], 'no peer is trusted, so that the gateway could name no caller', fix);
  }
  return { secret: stringOf(objectOf(gateway)['secret']) ?? '' };
}
