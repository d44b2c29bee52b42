/** Most writes of one batch (MET-13). */
export const MAX_OPERATIONS = 100;

/** The methods of the writes of a batch. */
export const BATCH_METHODS = ['POST', 'PUT', 'PATCH', 'DELETE'] as const;
