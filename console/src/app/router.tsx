import {
  createHashHistory,
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
} from '@tanstack/react-router';
import { texts } from '../texts.ts';
import { Loading } from '../ui/notice.tsx';
import { HomeView } from './home-view.tsx';
import { Shell } from './shell.tsx';

/** The search of every view: texts by name, as the API reads them (`price[gte]=5`). */
export type ViewSearch = Readonly<Record<string, string>>;

const validateSearch = (search: Readonly<Record<string, unknown>>): ViewSearch =>
  Object.fromEntries(Object.entries(search).filter((entry): entry is [string, string] => typeof entry[1] === 'string'));

const rootRoute = createRootRoute({
  component: Shell,
  validateSearch,
  notFoundComponent: () => <h1>{texts.notFound}</h1>,
});
const getParentRoute = () => rootRoute;

const routeTree = rootRoute.addChildren([
  createRoute({ getParentRoute, path: '/', component: HomeView }),
  createRoute({
    getParentRoute,
    path: '/collections/$name',
    component: lazyRouteComponent(() => import('../collections/collection-view.tsx'), 'CollectionView'),
  }),
  createRoute({
    getParentRoute,
    path: '/collections/$name/new',
    component: lazyRouteComponent(() => import('../row/row-view.tsx'), 'NewRowView'),
  }),
  createRoute({
    getParentRoute,
    path: '/collections/$name/$id',
    component: lazyRouteComponent(() => import('../row/row-view.tsx'), 'RowView'),
  }),
  createRoute({
    getParentRoute,
    path: '/events',
    component: lazyRouteComponent(() => import('../events/events-view.tsx'), 'EventsView'),
  }),
  createRoute({
    getParentRoute,
    path: '/webhooks',
    component: lazyRouteComponent(() => import('../webhooks/webhooks-view.tsx'), 'WebhooksView'),
  }),
  createRoute({
    getParentRoute,
    path: '/keys',
    component: lazyRouteComponent(() => import('../keys/keys-view.tsx'), 'KeysView'),
  }),
  createRoute({
    getParentRoute,
    path: '/health',
    component: lazyRouteComponent(() => import('../health/health-view.tsx'), 'HealthView'),
  }),
  createRoute({
    getParentRoute,
    path: '/versions',
    component: lazyRouteComponent(() => import('../health/versions-view.tsx'), 'VersionsView'),
  }),
]);

export const router = createRouter({
  routeTree,
  history: createHashHistory(),
  defaultPendingComponent: () => <Loading text={texts.loading} />,
  // Parameters as people write them, not as JSON.
  parseSearch: (search) => Object.fromEntries(new URLSearchParams(search)),
  stringifySearch: (search) => {
    const pairs = Object.entries(search).flatMap(([name, value]) =>
      typeof value === 'string' ? [`${encodeURIComponent(name)}=${encodeURIComponent(value)}`] : [],
    );
    return pairs.length === 0
      ? ''
      : `?${pairs.join('&').replaceAll('%2C', ',').replaceAll('%5B', '[').replaceAll('%5D', ']')}`;
  },
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
