// What a line would do now: it runs like any other, but behind a desk that sends nothing, on ports that keep nothing. The one code behind the
// request `preview`, `hook test` and the figures of `--dry`.
import { defined } from '../../base/defined.ts'
import type { AnyForm } from '../../commands/kit/command.ts'
import { describeRefusal, isRefusal } from '../../commands/kit/errors.ts'
import type { CommandPorts, PreviewCare, PreviewPort, PreviewRequest } from '../../commands/kit/ports.ts'
import type { CommandLookup, ResolvedForm } from '../../commands/kit/resolve.ts'
import { whyNotOnlyIf } from '../../hooks/fire-limits.ts'
import type { Chain } from '../../language/chain.ts'
import type { Preview, PreviewRefusal } from '../../protocol/preview.ts'
import { WIRE_LIMITS } from '../../protocol/wire-limits.ts'
import type { AuditPort } from '../../stores/audit-log.ts'
import type { TextMapStore } from '../../stores/rows.ts'
import type { Connect } from '../../trading/order-desk.ts'
import { type Looked, nothingLooked } from '../../trading/preview/preview-desk.ts'
import { createLineReader, executeLine } from '../execute-chain.ts'
import { heldNow } from '../held-now.ts'
import type { RunEnvironment } from '../run-context.ts'
import {
  bareChange,
  lookingOnly,
  MAX_LISTED,
  type PreviewedOrders,
  previewCancels,
  previewLimits,
  previewOrders,
} from './preview-orders.ts'
import { PreviewRun } from './preview-run.ts'

export interface PreviewOptions {
  readonly environment: RunEnvironment
  readonly reportBug: (error: unknown) => void
  /** How long it may take. */
  readonly timeoutMs?: number
}

export function createPreviewLine(options: PreviewOptions): PreviewPort {
  const readerOf = createLineReader()
  return async (request, care = {}) => {
    const { environment, reportBug, timeoutMs = WIRE_LIMITS.previewMs } = options
    const run = new PreviewRun(request, environment.ports.focus, reportBug)
    const looked = nothingLooked()
    const work = async (): Promise<Preview> => {
      try {
        const quiet = quietly(environment, looked, run)
        await executeLine(request.command, readerOf(request), { run, environment: quiet })
        const skip = await skippedBy(request, run, { environment, parse: readerOf(request) })
        return await assemble(run, { looked, connect: quiet.connect }, skip ?? simulatedBy(run, environment.ports))
      } finally {
        care.onEnded?.()
      }
    }
    return (await within(work(), run, timeoutMs, care)) ?? partly(run, looked, timeoutMs)
  }
}

/** @returns undefined when it was cut short */
async function within(
  work: Promise<Preview>,
  run: PreviewRun,
  timeoutMs: number,
  { signal }: PreviewCare,
): Promise<Preview | undefined> {
  let timer: NodeJS.Timeout | undefined
  let cut = (): void => {}
  const over = new Promise<undefined>((resolve) => {
    cut = () => resolve(undefined)
    timer = setTimeout(cut, timeoutMs)
    signal?.addEventListener('abort', cut, { once: true })
    if (signal?.aborted === true) cut()
  })
  // What was cut short may still fail: no one waits for that.
  work.catch(() => {})
  try {
    return await Promise.race([over, work])
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', cut)
    run.abort()
  }
}

/** Its own account of everything that a command may change. */
function quietly(environment: RunEnvironment, looked: Looked, run: PreviewRun): RunEnvironment {
  const connect = lookingOnly(environment.connect, looked)
  const { ports } = environment
  const quiet: Partial<CommandPorts> = {
    connect,
    variables: overlay(ports.variables),
    tasks: listing(ports.tasks),
    audit: NO_AUDIT,
    terminal: undefined,
  }
  return {
    ...environment,
    connect,
    ports: { ...ports, ...quiet },
    isPreview: true,
    lookup: previewLookup(environment.lookup, (text) => run.note(text)),
  }
}

/** What the line sets is there for the rest of it, and nowhere else. */
function overlay(store: TextMapStore): TextMapStore {
  const names = new Map(Object.entries(store.read()))
  return {
    ...store,
    read: () => Object.assign(Object.create(null), Object.fromEntries(names)),
    async set(name, text) {
      names.set(name, text)
    },
    remove: async (name) => names.delete(name),
  }
}

function listing(tasks: CommandPorts['tasks']): CommandPorts['tasks'] {
  const refuse = async (): Promise<never> => {
    throw new Error('a preview cannot begin or change tasks')
  }
  return {
    ...tasks,
    begin: refuse,
    ask: refuse,
    list: () => tasks.list(),
    underWay: () => tasks.underWay(),
    driver: () => tasks.driver(),
  }
}

const NO_AUDIT: AuditPort = {
  record: async () => {},
  read: () => [],
  verify: () => {
    throw new Error('a preview verifies nothing')
  },
}

async function assemble(
  run: PreviewRun,
  { looked, connect }: { readonly looked: Looked; readonly connect: Connect },
  blocked: PreviewRefusal | undefined,
): Promise<Preview> {
  const rows = await previewOrders(looked, (text) => run.note(text), { tasks: run.tasks, connect })
  const left = looked.orders.length - rows.orders.length
  if (left > 0) run.note(`${left} more orders are not listed`)
  return previewOf(run, looked, rows, blocked)
}

/** Cut short: what was found until then, and that it is not all. */
function partly(run: PreviewRun, looked: Looked, timeoutMs: number): Preview {
  const seconds = Math.round(timeoutMs / 1000)
  const why = {
    code: 'not-finished',
    text: `the preview was cut short: it may take ${seconds} s, and less where another is asked for`,
  }
  const changes = looked.changes.slice(0, MAX_LISTED).map(bareChange)
  const preview = previewOf(run, looked, { orders: [], changes, tasks: [...run.tasks], positions: [] }, undefined)
  return { ...preview, ok: false, errors: [...preview.errors, why] }
}

function previewOf(
  run: PreviewRun,
  looked: Looked,
  { orders, changes, tasks, positions }: PreviewedOrders,
  blocked: PreviewRefusal | undefined,
): Preview {
  const errors = [...run.errors()]
  const limits = previewLimits(looked)
  return {
    account: run.accountName,
    symbol: run.symbol,
    ok: errors.length === 0 && blocked === undefined,
    orders,
    cancels: previewCancels(looked),
    changes,
    settings: looked.settings.slice(0, MAX_LISTED),
    tasks,
    positions,
    errors,
    ...(limits.length === 0 ? {} : { limits }),
    ...defined({ blocked }),
    notes: [...run.notes],
  }
}

/** As a fire is: what is held is asked of the venue, and what is not known stops it. */
async function skippedBy(
  { onlyIf, command, hookId }: PreviewRequest,
  { accountName: account, symbol: focus }: PreviewRun,
  { environment, parse }: { readonly environment: RunEnvironment; readonly parse: (line: string) => Chain },
): Promise<PreviewRefusal | undefined> {
  if (onlyIf === undefined) return undefined
  try {
    const skip = whyNotOnlyIf(onlyIf, await heldNow(environment, { account, chain: parse(command), focus, hookId }))
    return skip && { code: skip.code, text: `a fire would be skipped: ${skip.why}` }
  } catch (error) {
    if (!isRefusal(error)) throw error
    return { code: 'only-if', text: `a fire would be skipped: the position is unknown: ${describeRefusal(error)}` }
  }
}

function simulatedBy({ accountName }: PreviewRun, { guards }: CommandPorts): PreviewRefusal | undefined {
  if (!guards.read(accountName).simulated) return undefined
  const hint = 'type `sim off` in the terminal'
  return { code: 'simulated', text: `simulation is on for account ${accountName}: nothing is sent`, hint }
}

// The table as a preview sees it: what orders is worked out, what only joins such commands together goes on, and the rest is named and left out.

/** They change nothing beyond the line itself: variables are kept for the preview alone. */
const GOES_ON: ReadonlySet<string> = new Set(['echo', 'repeat', 'set', 'unset'])
/** They have no `--dry`, and yet say what they would do. */
const FORETELLS: ReadonlySet<string> = new Set(['halt'])
const WAITS: ReadonlySet<string> = new Set(['wait', 'sleep'])

/** @param note is told what is left out, one sentence each */
export function previewLookup(lookup: CommandLookup, note: (text: string) => void): CommandLookup {
  return {
    ...lookup,
    resolve(call) {
      const resolved = lookup.resolve(call)
      if (resolved.form.sends === true || FORETELLS.has(resolved.path)) return { ...resolved, isDry: true }
      return GOES_ON.has(resolved.path) ? resolved : { ...resolved, form: leftOut(resolved, note) }
    },
  }
}

function whyLeftOut(path: string): string {
  if (WAITS.has(path)) return `\`${path}\` is not waited for: the next steps are computed at present prices`
  if (path === 'hook fire') return '`hook fire` is left out: `hook test` shows what the hook would do'
  return `\`${path}\` places no orders`
}

function leftOut({ path, form }: ResolvedForm, note: (text: string) => void): AnyForm {
  return {
    ...form,
    run(_, args) {
      form.check?.(args)
      note(whyLeftOut(path))
    },
  }
}
