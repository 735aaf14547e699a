// What goes into the audit log, from wherever it was done (behaviour 49).
import { userInfo } from 'node:os'
import { defined } from '../base/defined.ts'
import { describeRefusal, isRefusal } from '../commands/kit/errors.ts'
import { hideTokens } from '../language/printable.ts'
import type { Answer } from '../listener/approvals/approvals.ts'
import type { ClientActivity, SessionEvents } from '../listener/sessions/sessions-options.ts'
import type { GrantLevel } from '../protocol/rows.ts'
import type { PausedHook } from '../runtime/hook-circuit-breaker.ts'
import type { AuditLog, AuditPort, DoneBy } from '../stores/audit-log.ts'
import { ALL_ON, type ConfigStore } from '../stores/config.ts'
import type { Stores } from './open-stores.ts'

type AuditStores = Pick<Stores, 'auditLog' | 'hooks' | 'accounts' | 'trustedClients'>

/** Texts are cut so that a line stays one. */
const MAX_TEXT = 500
const HIDDEN = '<hidden>'

export function createAudit(stores: AuditStores): AuditPort {
  const { auditLog, trustedClients } = stores

  /** The origin of a client is known by its trust where the run does not say it. */
  function withOrigin(by: DoneBy): DoneBy {
    if (by.clientId === undefined || by.origin !== undefined) return by
    const [row, ...others] = trustedClients.find(by.clientId)
    return row === undefined || others.length > 0 ? by : { ...by, origin: row.origin }
  }

  return {
    async record(what, details, by) {
      const hide = hiderOf(stores)
      await auditLog.append({ what, by: hide({ ...withOrigin(by), ...ownProcess() }), details: hide(details) })
    },
    read: () => auditLog.read(),
    verify: () => auditLog.verify(),
  }
}

let own: { readonly pid: number; readonly user: string } | undefined

function ownProcess(): { readonly pid: number; readonly user: string } {
  own ??= { pid: process.pid, user: userName() }
  return own
}

function userName(): string {
  try {
    return userInfo().username
  } catch {
    // A user without an entry in the system's list.
    return String(process.getuid?.() ?? '')
  }
}

/** Cuts texts, and puts `<hidden>` in the place of every token and key there is: people paste them into names and commands. */
function hiderOf({ hooks, accounts }: Pick<Stores, 'hooks' | 'accounts'>) {
  const keys = accounts.list().flatMap((row) => Object.entries(row).flatMap(([field, value]) => secretIn(field, value)))
  const hideIn = (text: string): string =>
    keys.reduce((shown, key) => shown.replaceAll(key, HIDDEN), hideTokens(text, hooks.isSecret))
  const hideAll = (value: unknown): unknown => {
    if (typeof value === 'string') return hideIn(value).slice(0, MAX_TEXT)
    if (Array.isArray(value)) return value.map(hideAll)
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, hideAll(each)]))
  }
  return <T>(value: T): T => hideAll(value) as T
}

const OPEN: ReadonlySet<string> = new Set(['name', 'exchange', 'kind', 'prices'])

/** Every text of an account's row may be one, but for its name, venue and kind. Very short ones would garble the log. */
function secretIn(field: string, value: unknown): readonly string[] {
  const isSecret = typeof value === 'string' && value.length >= 6 && !OPEN.has(field)
  return isSecret ? [value] : []
}

/** The audit log as the program uses it: deeds that no one waits for, too, which are recorded in their order. */
export interface AuditTrail extends AuditPort {
  /** Passes on what pages do, and records what they change. */
  following(report: (activity: ClientActivity) => void): SessionEvents['activity']
  /** The operator answered a question at the prompt. */
  answered(answer: Answer, may?: GrantLevel): void
  /** Passes on that the runs of a hook have paused it, and records it. */
  pausing(report: (paused: PausedHook) => void): (paused: PausedHook) => void
  /**
   * Notes the switches whenever they are others than the log has said last, by whatever process and however long ago.
   * @returns stops noting
   */
  followSwitches(config: SwitchesSource): () => void
  /** Resolves when everything so far is in the log, or was told of. */
  settled(): Promise<void>
}

type SwitchesSource = Pick<ConfigStore, 'read' | 'problems' | 'watch'>

interface AuditTrailOptions {
  readonly stores: AuditStores
  /** Told why a deed, which is done, is not in the log. */
  readonly warn: (text: string) => void
  readonly bug: (error: unknown) => void
}

export function createAuditTrail({ stores, warn, bug }: AuditTrailOptions): AuditTrail {
  const audit = createAudit(stores)
  const onProblem = (error: unknown): void => {
    if (isRefusal(error)) warn(`the last action is not in the audit log: ${describeRefusal(error)}`)
    else bug(error)
  }
  let last: Promise<void> = Promise.resolve()
  const inOrder: InOrder = (work, onFailure = () => {}) => {
    last = last.then(work).catch((error: unknown) => {
      onFailure()
      onProblem(error)
    })
  }
  const record = (...entry: Parameters<AuditPort['record']>): void => inOrder(() => audit.record(...entry))
  return {
    ...audit,
    following: (report) => (activity, client) => {
      report(activity)
      const deed = deedOf(activity)
      if (deed !== undefined) record(deed.what, deed.details, { source: 'web', label: deed.label, ...client })
    },
    answered(answer, may) {
      if (answer.outcome === 'approved')
        record('client approve', { ...answer.question, ...defined({ may }) }, { source: 'repl' })
      if (answer.outcome === 'denied') record('client deny', { ...answer.question }, { source: 'repl' })
    },
    pausing: (report) => (paused) => {
      const { hook, pause } = paused
      report(paused)
      const { by, why } = pause
      const details = { hookId: hook.id, name: hook.name, by, ...defined({ why }) }
      record('hook pause', details, { source: 'hook', hookId: hook.id })
    },
    followSwitches: (config) => noteSwitches(config, stores.auditLog, inOrder),
    settled: () => last,
  }
}

/** What a page did, as it goes into the log; undefined: it changed nothing. */
function deedOf(
  activity: ClientActivity,
): { readonly what: string; readonly label: string; readonly details: Readonly<Record<string, unknown>> } | undefined {
  if (!('op' in activity)) return undefined
  const { type, op, label, ...details } = activity
  return { what: `${type} ${op}`, label, details }
}

/** Writes into the log after all that came before; `settled` waits for it. */
type InOrder = (work: () => Promise<void>, onFailure?: () => void) => void

function noteSwitches(config: SwitchesSource, log: Pick<AuditLog, 'appendSwitches'>, inOrder: InOrder): () => void {
  const read = () => {
    const { allowedOrigins, ...switches } = config.read().listener
    return { ...switches, ...defined({ allowedOrigins }) }
  }
  const entry = (before: object, now: object) => {
    const because = config.problems().map(({ message }) => message.slice(0, MAX_TEXT))
    const details = { now, before, ...(because.length === 0 ? {} : { because: because.slice(0, 5) }) }
    return { what: 'switches', by: { source: 'file', ...ownProcess() } as const, details }
  }
  /** What this process has noted last: most changes of the file are others. The switches are read when their turn in the log comes, and may have changed since. */
  let noted = ''
  const note = () => {
    const now = read()
    noted = JSON.stringify(now)
    return now
  }
  const look = (): void => {
    if (JSON.stringify(read()) === noted) return
    inOrder(
      () => log.appendSwitches(note, ALL_ON, entry),
      () => {
        noted = ''
      },
    )
  }
  look()
  return config.watch(look)
}
