/** How long a test waits for what must come. Nothing is measured by it: it is there so that what never comes is told of. */
export const PATIENCE_MS = 30_000

/** What a busy machine may add to a time that hookline keeps, where a test has to tell that time from a much longer one. */
export const BUSY_MS = 8_000
