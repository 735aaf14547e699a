// One authority (behaviour 30): whether what was let in may still do anything. It is asked before a run begins, before each of its steps, and
// right before the bytes of each order leave; tasks ask it as long as they live. The answer is folded from files that all hooklines of the
// directory share, and a stop stays in them when it is over: who slept through it has ended all the same. What may be sent on an account at all
// is said by guards.json and panic.json together (`GuardStore`).
import { createHash } from 'node:crypto'
import { remembering } from '../base/remembering.ts'
import { isOfOperator, type Source } from '../runs/run.ts'
import type { Config, ConfigStore } from '../stores/config.ts'
import { currentTurn } from '../stores/event-loop-turn.ts'
import type { HookStore } from '../stores/hooks.ts'
import type { PanicStore } from '../stores/panic.ts'
import type { StopScope, StopStore } from '../stores/stops.ts'
import type { TrustedClientStore } from '../stores/trusted-clients.ts'
import { isAllowedOrigin, originPolicy } from '../trust/allowed-origins.ts'
import { endsRuns } from './stop-table.ts'

/** Who asks to be let in. */
export interface Asker {
  readonly source: Source
  readonly runId: string
  /** By name; another one may be added under it. */
  readonly account?: string | undefined
  readonly clientId?: string | undefined
  /** The web origin of its page. */
  readonly pageOrigin?: string | undefined
  /** What a person has approved of that client. */
  readonly proposal?: string | undefined
  /** Of a fire. */
  readonly hook?: { readonly id: string; readonly secret: string } | undefined
}

/** What something was let in by: the chain of its causes, and each stop that could end it as it was last said then. */
export interface Admission {
  readonly source: Source
  readonly runId: string
  readonly account?: string
  /** The hook, and a digest of the token under which it fired. */
  readonly hook?: { readonly id: string; readonly token: string }
  readonly client?: { readonly id: string; readonly origin: string | undefined }
  /** By its id: `proposals` has who proposed it, what was shown, and the approval. */
  readonly proposal?: string
  /** ms since the epoch; absent: never before. */
  seen: Readonly<Partial<Record<'panic' | StopScope, number>>>
  /** The event-loop turn in which it was last let through: files are looked at once per turn. */
  passedTurn: number
}

export interface Authority {
  admit(asker: Asker): Admission
  /**
   * As of now, for what is about to leave.
   * @returns why it has ended, as a run's `error`: a stable word after `stopped: `
   */
  whyEnded(admission: Admission): string | undefined
  /** As `whyEnded`, at most once per event-loop turn: for each step of a run. */
  whyEndedInTurn(admission: Admission): string | undefined
  /** The stops that were said so far let this go on: it said them itself. */
  spare(admission: Admission): void
  /** As a text that a journal may keep: without tokens. */
  sealed(admission: Admission): string
  /** As `whyEnded`, of what a journal has kept; undefined, or no admission: nothing that could have ended. */
  whySealedEnded(text: string | undefined): string | undefined
  /** Calls `changed` when an answer may be another. @returns stops the calls */
  watch(changed: () => void): () => void
}

interface AuthorityStores {
  readonly config: Pick<ConfigStore, 'readOncePerTurn' | 'look' | 'watch'>
  readonly hooks: Pick<HookStore, 'findOncePerTurn' | 'look' | 'watch'>
  readonly panic: Pick<PanicStore, 'readOncePerTurn' | 'latestOncePerTurn' | 'look' | 'watch'>
  readonly stops: Pick<StopStore, 'latestOncePerTurn' | 'stoppedRunsOncePerTurn' | 'look' | 'problem' | 'watch'>
  readonly trustedClients: Pick<TrustedClientStore, 'findOncePerTurn' | 'grantOf' | 'look' | 'watch'>
}

const SWITCHES = [
  { name: 'enabled', word: 'listener.enabled', off: 'switch off enabled' },
  { name: 'remoteExec', word: 'remoteExec', off: 'switch off remoteExec' },
] as const

export function createAuthority(stores: AuthorityStores): Authority {
  const { config, hooks, panic, stops, trustedClients } = stores
  /** Each file that can end it is looked at, once; what it says is asked many times. */
  function lookNow({ source, hook, client }: Admission): void {
    panic.look()
    stops.look()
    if (isOfOperator(source)) return
    config.look()
    if (hook !== undefined) hooks.look()
    if (client !== undefined) trustedClients.look()
  }

  function whyPanic({ seen }: Admission): string | undefined {
    const latest =
      panic.readOncePerTurn() === undefined ? panic.latestOncePerTurn() : (panic.latestOncePerTurn() ?? UNKNOWN_PANIC)
    return latest === undefined || latest === seen.panic ? undefined : 'stopped: panic'
  }

  function whySwitch({ source, seen }: Admission): string | undefined {
    const { listener } = config.readOncePerTurn()
    for (const { name, word, off } of SWITCHES) {
      if (!endsRuns(off, source)) continue
      if (!listener[name]) return `stopped: ${word} is off`
      if (stops.latestOncePerTurn(name) !== seen[name]) return `stopped: ${word} was turned off`
    }
    return undefined
  }

  function whyHook({ hook, seen }: Admission): string | undefined {
    if (hook === undefined) return undefined
    const now = hooks.findOncePerTurn(hook.id)
    if (now === undefined) return 'stopped: the hook was revoked'
    if (digestOf(now.secret) !== hook.token) return 'stopped: the hook has a new token'
    const { paused, runs } = hookScopes(hook.id)
    if (stops.latestOncePerTurn(paused) !== seen[paused]) return 'stopped: the hook was paused'
    return stops.latestOncePerTurn(runs) === seen[runs] ? undefined : 'stopped: runs stop'
  }

  function whyClient({ client, seen }: Admission): string | undefined {
    if (client === undefined) return undefined
    const { id, origin } = client
    const scope = `client:${id}` as const
    if (stops.latestOncePerTurn(scope) !== seen[scope] || trustedClients.findOncePerTurn(id).length === 0)
      return `stopped: ${trustedClients.grantOf(id, origin) === undefined ? 'the client was revoked' : 'the grant of the client was changed'}`
    if (origin === undefined || isAllowedOrigin(policyOf(config.readOncePerTurn()), origin)) return undefined
    return 'stopped: the origin of the page is no longer allowed'
  }

  function whyStopped({ runId, account, seen }: Admission): string | undefined {
    if (account !== undefined) {
      const removed = accountScope(account)
      if (stops.latestOncePerTurn(removed) !== seen[removed]) return 'stopped: its account was removed'
    }
    if (stops.latestOncePerTurn('runs') !== seen.runs) return 'stopped: runs stop'
    return stops.stoppedRunsOncePerTurn().some((prefix) => runId.startsWith(prefix)) ? 'stopped: runs stop' : undefined
  }

  /** Whom each stop ends is said by the table. */
  function why(admission: Admission): string | undefined {
    const { source } = admission
    return (
      (endsRuns('panic', source) ? whyPanic(admission) : undefined) ??
      (endsRuns('runs stop --all', source) ? whyStopped(admission) : undefined) ??
      // Its problem is that of the last look at it.
      (endsRuns('stops.json unreadable', source) && stops.problem() !== undefined
        ? 'stopped: stops.json cannot be read'
        : undefined) ??
      whySwitch(admission) ??
      whyHook(admission) ??
      whyClient(admission)
    )
  }

  /** @param isSpared also under the panic that is on: it said so, or comes from the terminal, whose commands are looked at one by one */
  function seenBy(
    { account, hook, client }: Pick<Admission, 'account' | 'hook' | 'client'>,
    isSpared: boolean,
  ): Admission['seen'] {
    const isOn = panic.readOncePerTurn() !== undefined
    const seen: Partial<Record<'panic' | StopScope, number>> = {}
    const latest = panic.latestOncePerTurn() ?? (isOn ? UNKNOWN_PANIC : undefined)
    if (latest !== undefined && (isSpared || !isOn)) seen.panic = latest
    const keep = (scope: StopScope): void => {
      const at = stops.latestOncePerTurn(scope)
      if (at !== undefined) seen[scope] = at
    }
    for (const { name } of SWITCHES) keep(name)
    keep('runs')
    if (hook !== undefined) {
      const { paused, runs } = hookScopes(hook.id)
      keep(paused)
      keep(runs)
    }
    if (client !== undefined) keep(`client:${client.id}`)
    if (account !== undefined) keep(accountScope(account))
    return seen
  }

  return {
    admit({ source, runId, account, clientId, pageOrigin, proposal, hook }) {
      // Field by field: every fire comes here, and a spread costs ten times as much.
      const admission: { -readonly [Field in keyof Admission]: Admission[Field] } = {
        source,
        runId,
        seen: NOTHING_SEEN,
        passedTurn: -1,
      }
      if (account !== undefined) admission.account = account
      if (proposal !== undefined) admission.proposal = proposal
      if (hook !== undefined) admission.hook = { id: hook.id, token: digestOf(hook.secret) }
      if (clientId !== undefined) admission.client = { id: clientId, origin: pageOrigin }
      admission.seen = seenBy(admission, isOfOperator(source))
      return admission
    },
    whyEnded(admission) {
      lookNow(admission)
      return why(admission)
    },
    whyEndedInTurn(admission) {
      const turn = currentTurn()
      if (admission.passedTurn === turn) return undefined
      const reason = why(admission)
      if (reason === undefined) admission.passedTurn = turn
      return reason
    },
    spare(admission) {
      admission.seen = seenBy(admission, true)
    },
    sealed({ passedTurn: _, ...kept }) {
      return JSON.stringify(kept)
    },
    whySealedEnded(text) {
      const admission = text === undefined ? undefined : unsealed(text)
      return admission && why(admission)
    },
    watch(changed) {
      const undo = [panic, stops, config, hooks, trustedClients].map((store) => store.watch(changed))
      return () => {
        for (const stop of undo) stop()
      }
    },
  }
}

function unsealed(text: string): Admission | undefined {
  try {
    const { source, runId, seen, ...rest } = JSON.parse(text) as Admission
    const isWhole = typeof source === 'string' && typeof runId === 'string' && typeof seen === 'object'
    return isWhole ? { ...rest, source, runId, seen, passedTurn: -1 } : undefined
  } catch {
    return undefined
  }
}

/** panic.json cannot be read: there is a panic, and no one knows which. */
const UNKNOWN_PANIC = 0

/** Of a config that has not changed, worked out once. */
const policies = new WeakMap<Config, ReturnType<typeof originPolicy>>()

function policyOf(config: Config): ReturnType<typeof originPolicy> {
  const known = policies.get(config)
  if (known !== undefined) return known
  const made = originPolicy(config)
  policies.set(config, made)
  return made
}

const NOTHING_SEEN: Admission['seen'] = {}

const MOST_REMEMBERED = 10_000

/** What each fire asks for is made at the first. */
const digestOf = remembering(
  (secret) => createHash('sha256').update(secret).digest('hex').slice(0, 32),
  MOST_REMEMBERED,
)
const hookScopes = remembering((id) => ({ paused: `hook:${id}`, runs: `runs:${id}` }) as const, MOST_REMEMBERED)
const accountScope = remembering((account) => `account:${account}` as const, MOST_REMEMBERED)
