import { type AddressRange, parseAddressRange } from '../../../conventions/url/ip-address.ts';
import type { CompileContext } from '../../document/compile-context.ts';
import { stringsOf } from '../../values/access.ts';

/** Compiles `trusted_proxies` and reports what is no address or network (AUTH-6). */
export function compileTrustedProxies({ declared, path, report }: CompileContext): readonly AddressRange[] {
  return stringsOf(declared['trusted_proxies']).flatMap((text, index) => {
    const range = parseAddressRange(text);
    if (range !== null) return [range];
    const fix = 'write an address such as 10.0.0.1, or a network such as 10.0.0.0/8, with no bits set after its prefix';
    report([...path, 'trusted_proxies', index], `'${text}' is not an address or a network`, fix);
    return [];
  });
}
