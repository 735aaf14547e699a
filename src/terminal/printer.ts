// What is printed on this terminal, and how: the operator's own runs as they are, hook and web runs with their name before each
// line and cut, lines of tasks as those; other `exec` runs not at all (they have their own output).
import { isOfTask, type OutputKind, type RunData, type RunRequest, type RunSink } from '../runs/run.ts'
import { accountPrefix, MAX_MIRRORED_LINE, mirrorPrefix, renderLines } from './render.ts'
import type { Screen } from './screen.ts'

export interface Printer {
  /** A notice, or the output of a run typed here. */
  print(kind: OutputKind, text: string): void
  readonly sink: RunSink
}

/**
 * @param columns the terminal's width in cells, asked at each output; undefined: lines are not broken
 * @param focus the account that the prompt shows; undefined: no prompt
 */
export function createPrinter(
  screen: Screen,
  coloured: boolean,
  columns: () => number | undefined = () => undefined,
  focus: () => string | undefined = () => undefined,
): Printer {
  const style = () => {
    const width = columns()
    return width === undefined ? { coloured } : { coloured, width }
  }
  const show = (kind: OutputKind, text: string, prefix = '') =>
    screen.show(renderLines(kind, text, { ...style(), prefix }), () => renderLines(kind, text, { coloured, prefix }))
  const print = (kind: OutputKind, text: string) => show(kind, text)
  const printOwn = (kind: OutputKind, text: string, data?: RunData) => {
    // A fill may come after `account use`, and a line of `watch` may run on another account.
    const prefix = data?.type === 'order' ? accountPrefix(data.account, focus()) : ''
    show(kind, text, prefix)
  }
  const mirror = (run: RunRequest, kind: OutputKind, text: string, data?: RunData) => {
    const account = run.account ?? data?.account
    const prefix = mirrorPrefix(run, account, account === undefined ? undefined : focus())
    const width = columns()
    // Written out: thousands of lines a second come this way.
    const style =
      width === undefined
        ? { coloured, prefix, maxLength: MAX_MIRRORED_LINE }
        : { coloured, prefix, maxLength: MAX_MIRRORED_LINE, width }
    const unbroken = () => renderLines(kind, text, { coloured, prefix, maxLength: MAX_MIRRORED_LINE })
    screen.mirror(prefix, renderLines(kind, text, style), unbroken)
  }
  return {
    print,
    sink: {
      output(run, kind, text, data) {
        if (run.source === 'repl') printOwn(kind, text, data)
        else if (run.source !== 'exec' || isOfTask(run)) mirror(run, kind, text, data)
      },
      done(run, result) {
        // What went wrong was printed when it did. Nothing here waits for a fire, so its end is printed too.
        if (run.source === 'hook' && !result.success) mirror(run, 'error', 'the hook failed')
      },
    },
  }
}
