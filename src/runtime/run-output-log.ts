// `run-output.jsonl`: what runs printed, for `runs show`. A file of its own, so that much output pushes no run out of the journal.
import { printable } from '../language/printable.ts'
import type { KeptLine, KeptOutput, KeptStep, OutputKind, RunRequest, RunSink } from '../runs/run.ts'
import { type JournalFile, openJournalFile } from '../stores/journal-file.ts'

/** Kept of one run; what is beyond is counted. */
interface OutputLimits {
  readonly lines: number
  readonly characters: number
}

const OUTPUT_LIMITS: OutputLimits = { lines: 500, characters: 64 * 1024 }

const MAX_STEPS = 100
/** Of the text of a step. */
const MAX_STEP_TEXT = 200

const MAX_BYTES = 10_000_000
/** What many runs print in this time is one write: a fire waits for none of it. What a kill takes is no more than that. */
const WRITE_AFTER_MS = 100
/** So many are written at once: kept longer they would outlive the collector's young generation. */
const MAX_UNWRITTEN = 256

interface OutputRecord {
  readonly runId: string
  /** ms since the epoch. */
  readonly at: number
  readonly lines: readonly KeptLine[]
  readonly steps?: readonly KeptStep[]
  /** Of the whole run up to now: lines that were not kept. */
  readonly leftOut?: number
}

export interface RunOutputLog {
  readonly sink: RunSink
  /** Writes what is not written yet, now. */
  flush(): void
  close(): void
}

interface RunOutputLogOptions {
  readonly path: string
  /** What must not be written down is replaced (behaviour 18). */
  readonly hideSecrets: (text: string) => string
  readonly now?: () => number
  readonly limits?: OutputLimits
  readonly maxBytes?: number
  readonly onProblem?: (error: Error | undefined) => void
}

/** What a run under way has printed. */
interface Printed {
  readonly startedAt: number
  count: number
  characters: number
  leftOut: number
  steps: number
}

export function openRunOutputLog(options: RunOutputLogOptions): RunOutputLog {
  const { path, hideSecrets, now = Date.now, limits = OUTPUT_LIMITS, maxBytes = MAX_BYTES, onProblem } = options
  const records = createRecords(openJournalFile({ path, maxBytes, ...(onProblem ? { onProblem } : {}) }))
  const runs = createPrinting()

  function end(runId: string): void {
    const run = runs.take(runId)
    if (run !== undefined && run.leftOut > 0) records.add(runId, run, `"lines":[],"leftOut":${run.leftOut}`)
  }

  return {
    sink: {
      started: ({ runId }, acceptedAt) => runs.add(runId, nothingPrinted(acceptedAt)),
      output({ runId }: RunRequest, kind, text) {
        // What becomes of an order may be told when its run is over.
        const run = runs.find(runId) ?? nothingPrinted(now())
        if (!isKept(run, text, limits)) return
        const line = `[${now() - run.startedAt},"${kind}",${JSON.stringify(hideSecrets(text))}]`
        records.add(runId, run, `"lines":[${line}]`)
      },
      step({ runId }: RunRequest, { text, startedAt, endedAt, succeeded }) {
        const run = runs.find(runId)
        if (run === undefined || run.steps++ >= MAX_STEPS) return
        const shown = hideSecrets(printable(text, MAX_STEP_TEXT))
        const step: KeptStep = [startedAt - run.startedAt, endedAt - startedAt, succeeded, shown]
        records.add(runId, run, `"lines":[],"steps":[${JSON.stringify(step)}]`)
      },
      done: ({ runId }) => end(runId),
    },
    flush: records.flush,
    close() {
      for (const runId of runs.ids()) end(runId)
      records.close()
    },
  }
}

/** Runs under way. Most end before another begins: the latest is at hand, and only one that lasts is looked up by its id. */
function createPrinting() {
  const lasting = new Map<string, Printed>()
  let latestId: string | undefined
  let latest: Printed | undefined
  return {
    add(runId: string, run: Printed): void {
      if (latestId !== undefined && latest !== undefined) lasting.set(latestId, latest)
      latestId = runId
      latest = run
    },
    find: (runId: string) => (runId === latestId ? latest : lasting.get(runId)),
    take(runId: string): Printed | undefined {
      if (runId !== latestId) {
        const run = lasting.get(runId)
        lasting.delete(runId)
        return run
      }
      latestId = undefined
      return latest
    },
    ids: () => [...lasting.keys(), ...(latestId === undefined ? [] : [latestId])],
  }
}

/** Records on their way to the file. Texts rather than objects: under load there are tens of thousands a second. */
function createRecords(file: JournalFile) {
  let unwritten: string[] = []
  let timer: NodeJS.Timeout | undefined
  function write(): void {
    clearTimeout(timer)
    timer = undefined
    if (unwritten.length > 0) file.append(unwritten.join('\n'))
    unwritten = []
  }
  return {
    add(runId: string, { startedAt }: Printed, rest: string): void {
      // A run's own id is a UUID: nothing in it needs an escape.
      unwritten.push(`{"runId":"${runId}","at":${startedAt},${rest}}`)
      if (unwritten.length >= MAX_UNWRITTEN) write()
      else timer ??= setTimeout(write, WRITE_AFTER_MS).unref()
    },
    flush() {
      write()
      file.flush()
    },
    close() {
      write()
      file.close()
    },
  }
}

function nothingPrinted(startedAt: number): Printed {
  return { startedAt, count: 0, characters: 0, leftOut: 0, steps: 0 }
}

/** Counts it, kept or not. */
function isKept(run: Printed, text: string, limits: OutputLimits): boolean {
  if (run.count >= limits.lines || run.characters + text.length > limits.characters) {
    run.leftOut++
    return false
  }
  run.count++
  run.characters += text.length
  return true
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
  const inOrder = found.toReversed()
  const began = inOrder[0]?.at ?? startedAt
  return {
    lines: inOrder.flatMap(({ at, lines }) =>
      lines.map(([afterMs, kind, text]): KeptLine => [at - began + afterMs, kind, text]),
    ),
    steps: inOrder.flatMap(({ steps = [] }) => steps),
    leftOut: Math.max(0, ...found.map(({ leftOut = 0 }) => leftOut)),
  }
}

/** Empty for a line torn by a crash; what a person has put into one, and is none of ours, is left out. */
function decode(text: string): OutputRecord[] {
  try {
    const record: unknown = JSON.parse(text)
    if (typeof record !== 'object' || record === null) return []
    const { runId, at, lines, steps, leftOut } = record as Readonly<Record<string, unknown>>
    if (typeof runId !== 'string' || typeof at !== 'number' || !Array.isArray(lines)) return []
    return [
      {
        runId,
        at,
        lines: lines.filter(isLine),
        ...(Array.isArray(steps) ? { steps: steps.filter(isStep) } : {}),
        ...(typeof leftOut === 'number' ? { leftOut } : {}),
      },
    ]
  } catch {
    return []
  }
}

const KINDS: ReadonlySet<unknown> = new Set<OutputKind>(['print', 'success', 'warn', 'error', 'info'])

function isLine(line: unknown): line is KeptLine {
  return Array.isArray(line) && typeof line[0] === 'number' && KINDS.has(line[1]) && typeof line[2] === 'string'
}

function isStep(step: unknown): step is KeptStep {
  if (!Array.isArray(step)) return false
  const [afterMs, tookMs, succeeded, text] = step as readonly unknown[]
  const isTimed = typeof afterMs === 'number' && typeof tookMs === 'number'
  return isTimed && typeof succeeded === 'boolean' && typeof text === 'string'
}
