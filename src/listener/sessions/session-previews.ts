// `cmd:exec`: a line from an approved client, run as if typed (behaviour 14, 15, 30).
import { randomUUID } from 'node:crypto'
import { defined } from '../../base/defined.ts'
import { alertOfBody, previewFire } from '../../commands/hooks/fire-preview.ts'
import type { PreviewCare, PreviewPort } from '../../commands/kit/ports.ts'
import { AlertError } from '../../hooks/alert.ts'
import type { LookAtHooks } from '../../hooks/fire-limits.ts'
import { printable } from '../../language/printable.ts'
import { type Frame, type ServerFrame, WIRE_LIMITS } from '../../protocol/frames.ts'
import type { Preview } from '../../protocol/preview.ts'
import type { RunRequest } from '../../runs/run.ts'
import type { Runner } from '../../runtime/runner.ts'
import type { ConfigStore } from '../../stores/config.ts'
import type { HookStore } from '../../stores/hooks.ts'
import type { PanicStore } from '../../stores/panic.ts'
import { refuseCommand, type Session } from './session.ts'

export interface RemoteExecPorts {
  readonly config: Pick<ConfigStore, 'readOncePerTurn'>
  readonly panic: Pick<PanicStore, 'readOncePerTurn'>
  readonly runner: Pick<Runner, 'run'>
}

export function execute(session: Session, frame: Frame<'cmd:exec'>, { config, panic, runner }: RemoteExecPorts): void {
  const { id } = frame
  const refusal = tooLate(frame) ?? switchedOff({ config, panic }) ?? session.underWay.beginRun(id)
  if (refusal !== undefined) return refuseCommand(session, id, refusal)
  void runner.run(requestOf(session, frame))
}

/** A hookline that hung, or slept, must not trade by what was sent meanwhile. */
function tooLate({ latest }: Frame<'cmd:exec'>): string | undefined {
  const lateMs = latest === undefined ? 0 : Date.now() - latest
  return lateMs > 0
    ? `not run: it was read ${Math.ceil(lateMs / 1_000)} s after the latest time that it may begin`
    : undefined
}

/** @returns why nothing of a page runs now */
function switchedOff({ config, panic }: Pick<RemoteExecPorts, 'config' | 'panic'>): string | undefined {
  if (panic.readOncePerTurn() !== undefined) return 'panic is on; type resume in the terminal'
  return config.readOncePerTurn().listener.remoteExec ? undefined : 'remoteExec disabled'
}

/** Written out: spreading what may be absent costs more than the rest of it. */
function requestOf({ id: sessionId, label, hello, origin: pageOrigin }: Session, frame: Frame<'cmd:exec'>): RunRequest {
  const request: { -readonly [Key in keyof RunRequest]: RunRequest[Key] } = {
    runId: randomUUID(),
    source: 'web',
    command: frame.command,
    origin: label,
    sessionId,
    clientId: hello.clientId,
    pageOrigin,
    replyId: frame.id,
  }
  if (frame.detach === true) request.detach = true
  if (frame.account !== undefined) request.account = frame.account
  if (frame.symbol !== undefined) request.symbol = frame.symbol.toUpperCase()
  return request
}

// `preview` and `hooks:test`: what a line, or a fire of a hook, would do, for pages that ask while a person types. Of one session the newest counts: one is worked out at a time, at
// most ten a second are begun, and what was asked before is answered as superseded.

interface SessionPreviewsOptions {
  readonly config: Pick<ConfigStore, 'readOncePerTurn' | 'read'>
  readonly panic: Pick<PanicStore, 'readOncePerTurn' | 'read'>
  readonly hooks: Pick<HookStore, 'findOncePerTurn'>
  readonly preview: PreviewPort
  readonly hookFacts: LookAtHooks
  readonly onBug: (error: unknown) => void
}

/** Who asks; what is kept of it goes with it. */
interface PreviewAsker {
  send(frame: ServerFrame): void
  readonly hello?: { readonly clientId: string }
}

type Ask = Frame<'preview'> | Frame<'hooks:test'>
type Work = (care: PreviewCare) => Promise<Preview>

interface Asked {
  /** Under way, or waiting for its turn; not answered yet. */
  newest: { readonly frame: Ask; readonly work: Work; readonly abort: AbortController } | undefined
  /** Still asking a venue, those that were cut short too. */
  underWay: number
  begunAt: number
  timer: NodeJS.Timeout | undefined
}

const GAP_MS = 1_000 / WIRE_LIMITS.previewsPerSecond
const MAX_MESSAGE = 300
/** A venue that does not answer must not gather questions. */
const MAX_UNDER_WAY = 4

export class SessionPreviews {
  readonly #options: SessionPreviewsOptions
  readonly #askers = new Map<PreviewAsker, Asked>()

  constructor(options: SessionPreviewsOptions) {
    this.#options = options
  }

  ask(asker: PreviewAsker, frame: Ask): void {
    const { config, panic } = this.#options
    const why = switchedOff({ config, panic })
    if (why !== undefined) return refuse(asker, frame, why, 'switched-off')
    const work = this.#workOf(frame, asker.hello?.clientId)
    if (typeof work !== 'function') return refuse(asker, frame, work.error, work.code)
    const asked = this.#askers.get(asker) ?? {
      newest: undefined,
      underWay: 0,
      begunAt: Number.NEGATIVE_INFINITY,
      timer: undefined,
    }
    this.#askers.set(asker, asked)
    supersede(asker, asked)
    asked.newest = { frame, work, abort: new AbortController() }
    const waitMs = asked.begunAt + GAP_MS - performance.now()
    if (waitMs <= 0) this.#begin(asker, asked)
    else asked.timer ??= setTimeout(() => this.#begin(asker, asked), waitMs)
  }

  /** The session is gone. */
  forget(asker: PreviewAsker): void {
    const asked = this.#askers.get(asker)
    if (asked === undefined) return
    clearTimeout(asked.timer)
    asked.newest?.abort.abort()
    asked.newest = undefined
    this.#askers.delete(asker)
  }

  stop(): void {
    for (const asker of [...this.#askers.keys()]) this.forget(asker)
  }

  /** Or why there is nothing to work out. */
  #workOf(frame: Ask, clientId: string | undefined): Work | { readonly error: string; readonly code: string } {
    const { preview, hooks } = this.#options
    if (frame.t === 'preview') {
      const { command, account, symbol } = frame
      const request = {
        command,
        source: 'web' as const,
        ...defined({ account, symbol: symbol?.toUpperCase(), clientId }),
      }
      return (care) => preview(request, care)
    }
    const hook = hooks.findOncePerTurn(frame.hookId)
    if (hook === undefined) return { error: 'there is no such hook', code: 'unknown-hook' }
    try {
      const alert = alertOfBody(hook.command, frame.body ?? '')
      return (care) => previewFire(this.#options, hook, alert, care)
    } catch (error) {
      if (!(error instanceof AlertError)) throw error
      return { error: `bad alert: ${printable(error.message, MAX_MESSAGE)}`, code: 'bad-alert' }
    }
  }

  #begin(asker: PreviewAsker, asked: Asked): void {
    asked.timer = undefined
    const { newest } = asked
    if (newest === undefined) return
    const { frame, work, abort } = newest
    if (asked.underWay >= MAX_UNDER_WAY) {
      asked.newest = undefined
      return refuse(asker, frame, 'earlier previews are still waiting for the exchange', 'busy')
    }
    asked.begunAt = performance.now()
    asked.underWay += 1
    const { id } = frame
    const onEnded = () => {
      asked.underWay -= 1
    }
    const answer = (send: () => void) => {
      if (asked.newest !== newest) return
      asked.newest = undefined
      send()
    }
    work({ signal: abort.signal, onEnded }).then(
      (preview) => answer(() => asker.send({ t: 'preview:ok', id, preview })),
      (error: unknown) => {
        this.#options.onBug(error)
        answer(() => refuse(asker, frame, 'internal error'))
      },
    )
  }
}

function supersede(asker: PreviewAsker, asked: Asked): void {
  const { newest } = asked
  if (newest === undefined) return
  asked.newest = undefined
  newest.abort.abort()
  refuse(asker, newest.frame, 'a later preview took its place', 'superseded')
}

function refuse(asker: PreviewAsker, { id }: Ask, error: string, code?: string): void {
  asker.send({ t: 'preview:err', id, error, ...defined({ code }) })
}
