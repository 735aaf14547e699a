/**
 * A reader that goes away (`hookline exec … | head -1`) does not end a line of orders half-way: what nobody reads any more is
 * dropped, and the exit status still tells how the run ended. The REPL and `hookline listen` watch their output themselves.
 */
export function ignoreBrokenPipe(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error
    })
  }
}
