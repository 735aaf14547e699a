// `run-output.jsonl`: what runs printed, for `runs show`. A file of its own, so that much output pushes no run out of the journal.
import type { OutputKind, RunRequest, RunResult, RunSink } from '../runs/run.ts'
import type { KeptLine, KeptOutput } from '../runs/run-query.ts'
import { openJournalFile } from '../stores/journal-file.ts'

/** Kept of one run; what is beyond is counted. */
export interface OutputLimits {
  readonly lines: number
  readonly characters: number
}

export const OUTPUT_LIMITS: OutputLimits = { lines: 500, characters: 64 * 1024 }

const MAX_BYTES = 10_000_000
/** A run that lasts writes what it has printed at least this often. */
const FLUSH_MS = 1_000
const FLUSH_LINES = 50

export interface OutputRecord {
  readonly runId: string
  /** ms since the epoch. */
  readonly at: number
  readonly lines: readonly KeptLine[]
  /** Of the whole run up to now: lines that were not kept. */
  readonly leftOut?: number
}

export interface RunOutputLog {
  readonly sink: RunSink
  close(): void
}

export interface RunOutputLogOptions {
  readonly path: string
  /** What must not be written down is replaced (behaviour 18). */
  readonly hideSecrets: (text: string) => string
  readonly now?: () => number
  readonly limits?: OutputLimits
  readonly maxBytes?: number
  readonly onProblem?: (error: Error | undefined) => void
}

interface Kept {
  readonly runId: string
  readonly startedAt: number
  lines: KeptLine[]
  count: number
  characters: number
  leftOut: number
  isEnded: boolean
}

export function openRunOutputLog(options: RunOutputLogOptions): RunOutputLog {
  const { path, hideSecrets, now = Date.now, limits = OUTPUT_LIMITS, maxBytes = MAX_BYTES, onProblem } = options
  const file = openJournalFile({ path, maxBytes, ...(onProblem ? { onProblem } : {}) })
  const open = new Map<string, Kept>()
  let timer: NodeJS.Timeout | undefined

  function write(run: Kept): void {
    if (run.lines.length === 0 && run.leftOut === 0) return
    const { runId, startedAt, lines, leftOut } = run
    const record: OutputRecord = { runId, at: startedAt, lines, ...(leftOut === 0 ? {} : { leftOut }) }
    file.append(JSON.stringify(record))
    run.lines = []
  }

  function writeAll(): void {
    timer = undefined
    for (const run of open.values()) if (run.lines.length > 0) write(run)
  }

  function keep(run: Kept, kind: OutputKind, text: string): void {
    const isOver = run.count >= limits.lines || run.characters + text.length > limits.characters
    if (isOver) {
      run.leftOut++
      return
    }
    run.count++
    run.characters += text.length
    run.lines.push([now() - run.startedAt, kind, hideSecrets(text)])
  }

  return {
    sink: {
      started({ runId }) {
        open.set(runId, {
          ...{ runId, startedAt: now(), lines: [] },
          ...{ count: 0, characters: 0, leftOut: 0, isEnded: false },
        })
      },
      output({ runId }: RunRequest, kind, text) {
        const run = open.get(runId)
        if (run === undefined) return
        keep(run, kind, text)
        if (run.lines.length >= FLUSH_LINES) write(run)
        else if (timer === undefined && run.lines.length > 0) timer = setTimeout(writeAll, FLUSH_MS).unref()
      },
      done({ runId }: RunRequest, _result: RunResult) {
        const run = open.get(runId)
        open.delete(runId)
        if (run !== undefined) write(run)
      },
    },
    close() {
      clearTimeout(timer)
      for (const run of open.values()) write(run)
      open.clear()
      file.close()
    },
  }
}

/** A run may begin, and print, this long before or after the time the journal has for it: it may have waited. */
const SLACK_MS = 60_000

/**
 * @param lines of the file, newest first
 * @param run when it was accepted: older lines are not read
 */
export async function outputOfRun(
  lines: AsyncIterable<readonly string[]>,
  { runId, startedAt }: { readonly runId: string; readonly startedAt: number },
): Promise<KeptOutput> {
  const mark = `{"runId":${JSON.stringify(runId)},`
  const found: OutputRecord[] = []
  for await (const chunk of lines) {
    for (const text of chunk) if (text.startsWith(mark)) found.push(...decode(text))
    const oldest = chunk.at(-1)
    if (oldest !== undefined && (decode(oldest)[0]?.at ?? startedAt) < startedAt - SLACK_MS) break
  }
  return {
    lines: found.reverse().flatMap((record) => record.lines),
    leftOut: Math.max(0, ...found.map(({ leftOut = 0 }) => leftOut)),
  }
}

/** Empty for a line torn by a crash, or written by a person. */
function decode(text: string): OutputRecord[] {
  try {
    const line: unknown = JSON.parse(text)
    const isRecord = typeof line === 'object' && line !== null && 'lines' in line && Array.isArray(line.lines)
    return isRecord ? [line as OutputRecord] : []
  } catch {
    return []
  }
}
