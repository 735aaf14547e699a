// `--json`: one JSON object on each line, for programs (docs/json.md). What a command answers as data is printed as data; other text is a
// `message`; the end of each line typed is a `result`.
import { defined } from '../base/defined.ts'
import { isOfOperator, isOfTask, type OutputKind, type RunData, type RunRequest, type RunResult } from '../runs/run.ts'
import type { Printer } from './printer.ts'

/** @param write is given one line, without its newline */
export function createJsonPrinter(write: (line: string) => void): Printer {
  const show = (value: unknown) => write(printableJson(value))
  return {
    print: (kind, text) => show({ type: 'notice', kind, text }),
    sink: {
      output: (run, kind, text, data) => show({ ...(data ?? message(kind, text)), ...whose(run) }),
      done: (run, result) => show(resultOf(run, result)),
    },
  }
}

function message(kind: OutputKind, text: string): RunData & { readonly kind: OutputKind; readonly text: string } {
  return { type: 'message', kind, text }
}

function resultOf(run: RunRequest, { success, error }: RunResult): RunData & Record<string, unknown> {
  return { type: 'result', success, ...defined({ error }), ...whose(run) }
}

/** Lines of hooks, pages and tasks come between: they say whose they are. */
function whose(run: RunRequest): Record<string, string> {
  const { runId, source, origin } = run
  if (isOfOperator(source) && source !== 'phone' && !isOfTask(run)) return { runId }
  return { runId, source, ...defined({ origin }) }
}

/** Data hold labels and names as strangers chose them, and a person may be looking: what could steer a terminal is escaped, not lost (behaviour 20). */
export function printableJson(value: unknown): string {
  return JSON.stringify(value).replace(
    /[\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}
