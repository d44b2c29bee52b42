/** The formats of exported and imported files. */
export const FILE_FORMATS = ['csv', 'ndjson', 'json'] as const;

export type FileFormat = (typeof FILE_FORMATS)[number];
