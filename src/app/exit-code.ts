/** What the process says to the shell. */
export const EXIT_CODE = {
  ok: 0,
  /** A command failed. */
  failed: 1,
  /** The command line was not understood. */
  usage: 2,
} as const
