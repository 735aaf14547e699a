// What the app warns of, in one line: what is so, why, and what to do next.
import type { PendingClient } from '../commands/kit/ports.ts'
import { printable } from '../language/printable.ts'

export function describeJournalProblem(error: Error | undefined): string {
  return error
    ? `runs are no longer recorded in runs.jsonl: ${error.message}; they still run: free disk space or fix the permissions`
    : 'runs are recorded in runs.jsonl again'
}

export function describeRunOutputProblem(error: Error | undefined): string {
  return error
    ? `output of runs is no longer saved in run-output.jsonl: ${error.message}; they still run: free disk space or fix the permissions`
    : 'output of runs is saved in run-output.jsonl again'
}

export function describeEquityProblem(error: Error | undefined): string {
  return error
    ? `equity of accounts is no longer saved in equity.jsonl: ${error.message}; trading continues: free disk space or fix the permissions`
    : 'equity of accounts is saved in equity.jsonl again'
}

export function describeOrderJournalProblem(error: unknown): string {
  return error === undefined
    ? 'orders are recorded in orders.jsonl again'
    : `orders.jsonl cannot be written: ${error instanceof Error ? error.message : String(error)}. No order is sent until it can; free the disk or fix the permissions`
}

export function describeTaskJournalProblem(error: unknown): string {
  return error === undefined
    ? 'tasks are recorded in tasks.jsonl again'
    : `tasks.jsonl cannot be written: ${error instanceof Error ? error.message : String(error)}. No task sends an order until it can; free the disk or fix the permissions`
}

export function describeUnattended({ clientId, origin, label, key }: PendingClient): string {
  const name = printable(label || 'a web page', 60)
  const words = [clientId, origin].map((text) => shellWord(printable(text, 100)))
  const line = `hookline clients trust ${words[0]} --origin ${words[1]}${key === undefined ? '' : ` --key ${key}`}`
  return `${name} was denied: no terminal is open to approve it; to let it in: ${line}`
}

/** For the log. */
export function shownClient({ clientId, origin, label }: PendingClient): Record<string, string> {
  return { clientId: printable(clientId, 64), label: printable(label, 60), origin: printable(origin, 100) }
}

/** The stranger chose this text, and the operator is told to paste it into a shell (POSIX, 2.2.2). */
function shellWord(text: string): string {
  return /^[\w.:/-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`
}
