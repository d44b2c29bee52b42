/** The name of a workload on the command line. */
export type WorkloadId =
  | 'by-id'
  | 'by-id-hot'
  | 'by-id-alone'
  | 'page'
  | 'pages'
  | 'filtered'
  | 'filtered-pages'
  | 'not-modified'
  | 'not-modified-all'
  | 'collection-not-modified'
  | 'deep-page'
  | 'post'
  | 'patch'
  | 'post-alone'
  | 'patch-alone'
  | 'mixed';
