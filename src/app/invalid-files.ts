// A file that goes bad while hookline runs is named at once (behaviour 22): a switch that was meant to stop something does not,
// as long as config.json has a mistake in it.
import type { FileState } from '../stores/json-file.ts'
import type { StoreProblem } from '../stores/store-error.ts'

/** Tells each problem once, when it comes up; those there are already are the start's to tell. @returns stops telling */
export function reportInvalidFiles(files: readonly FileState[], tell: (problem: StoreProblem) => void): () => void {
  const stops = files.map((file) => {
    file.look()
    let told = messagesOf(file)
    return file.watch(() => {
      for (const problem of file.problems()) if (!told.has(problem.message)) tell(problem)
      told = messagesOf(file)
    })
  })
  return () => {
    for (const stop of stops) stop()
  }
}

/** Without their lines, which an edit elsewhere in the file moves. */
function messagesOf(file: FileState): ReadonlySet<string> {
  return new Set(file.problems().map(({ message }) => message))
}
