/** A group of pages in the index of the site. */
export interface PageGroup {
  readonly title: string;
  /** Paths below `docs/` without `.md`, or a folder with all its pages. */
  readonly pages: readonly string[];
}

/** The index of the site. Each page of `docs/` is in one group. */
export const PAGE_GROUPS: readonly PageGroup[] = [
  {
    title: 'Start',
    pages: [
      'guides/getting-started',
      'guides/tour',
      'guides/command-line',
      'guides/typescript-models',
      'guides/testing',
    ],
  },
  {
    title: 'Use an API',
    pages: [
      'guides/collections',
      'guides/writes',
      'guides/formats',
      'guides/caching',
      'guides/events',
      'guides/webhooks',
      'guides/brokers',
      'guides/brokers-nats',
      'guides/brokers-redis',
      'guides/brokers-rabbitmq',
      'guides/brokers-kafka',
      'guides/client',
      'guides/agents',
      'guides/console',
      'guides/docs-page',
      'guides/browsers',
    ],
  },
  {
    title: 'Build an API',
    pages: [
      'guides/auth',
      'guides/policies',
      'guides/versions',
      'guides/descriptions',
      'guides/embedding',
      'guides/existing-databases',
      'guides/postgrest',
      'guides/import-and-export',
    ],
  },
  {
    title: 'Run an API',
    pages: [
      'guides/deploy',
      'guides/docker',
      'guides/postgresql',
      'guides/workers',
      'guides/model-changes',
      'guides/observing',
      'guides/sizing',
      'guides/upgrade',
      'guides/windows-and-macos',
      'security',
    ],
  },
  {
    title: 'Reference',
    pages: [
      'specification/model',
      'specification/contract',
      'errors',
      'lifecycle',
      'glossary',
      'specification/planned',
      'specification/seed',
    ],
  },
  { title: 'The project', pages: ['architecture', 'decisions'] },
];
