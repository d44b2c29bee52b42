import type { Contract } from '../contract/contract.ts';
import { linkField } from '../conventions/url/links.ts';
import type { ServedContract } from '../exchange/exchange.ts';
import { writeDescriptionUrl, writeDocsUrl } from '../represent/description-urls.ts';
import type { Route } from './found-route.ts';

/**
 * Selects what every response of a version says about it (VER-4). That of a deprecated one links to the successor of
 * its target in the newest version, if that has another URL.
 *
 * @param route null if the version has no such target: then the successor is the root
 */
export function selectServedContract(contract: Contract, route: Route | null, newest: Contract): ServedContract {
  const { version, lifecycle, deprecationPage } = contract;
  const page = deprecationPage === null ? [] : [{ href: deprecationPage, rel: 'deprecation' }];
  const links = [...page, ...(contract.isDeprecated ? successorLinks(contract, route, newest) : [])];
  return links.length === 0 ? contract : { version, lifecycle: [...lifecycle, 'Link', linkField(links)] };
}

function successorLinks(contract: Contract, route: Route | null, newest: Contract): Parameters<typeof linkField>[0] {
  const href = findTargetUrl(route, newest);
  return href === findTargetUrl(route, contract) ? [] : [{ href, rel: 'successor-version' }];
}

/**
 * Finds the URL of a target in a version, without the parameters of the request. Resources have the same keys and ids
 * in every version.
 *
 * @param route the target, as found in any version
 */
function findTargetUrl(route: Route | null, of: Contract): string {
  const { urls, model } = of;
  const base = of.linkBases.canonical;
  switch (route?.kind) {
    case 'collection':
    case 'item': {
      const target = of.resources.get(route.compiled.resource.name)?.resource;
      if (target === undefined) return urls.root(base);
      return route.kind === 'item'
        ? urls.item(base, target, route.within, route.id)
        : urls.collection(base, target, route.within);
    }
    case 'batches':
      return urls.system(base, model.system.batches);
    case 'batch':
      return urls.system(base, model.system.batches, route.id);
    case 'events':
      return urls.system(base, model.system.events);
    case 'event':
      return urls.system(base, model.system.events, route.id);
    case 'openapi':
    case 'asyncapi':
    case 'llms':
      return writeDescriptionUrl(of, route.kind);
    case 'docs':
      return writeDocsUrl(of);
    case 'console':
    case 'home':
    case 'live':
    case 'mcp':
    case 'metadata':
    case 'metrics':
    case 'ready':
    case 'root':
    case 'server':
    case undefined:
      return urls.root(base);
  }
}
