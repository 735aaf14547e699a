// Hooks that hookline fires itself (behaviour 52), in the process that drives tasks. A fire is on the disk before it is made: whatever dies in
// between, no bar and no time fires twice. What is found late, or came while no process judged, is reported and never fired.
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import * as z from 'zod/mini'
import { defined } from '../base/defined.ts'
import { CANDLE_MS, type Market } from '../exchange/market.ts'
import { LanguageError } from '../language/language-error.ts'
import { type DurableJournal, openDurableJournal } from '../stores/durable-journal.ts'
import type { Hook, HookStore, HookTrigger } from '../stores/hooks.ts'
import { StoreError } from '../stores/store-error.ts'
import type { Clock } from '../trading/clock.ts'
import { showDuration } from '../trading/figures.ts'
import { showCondition } from '../triggers/condition.ts'
import { createEvaluator, type Evaluator, type EvaluatorState } from '../triggers/evaluator.ts'
import { describeSchedule, nextTimeOf, timesDue } from '../triggers/schedule.ts'
import { parseTrigger, type Trigger } from '../triggers/trigger.ts'
import type { AccountFeed, SymbolSight } from './account-feed.ts'
import type { ReadingsWatch } from './bar-feed.ts'
import { TIME_LATE_MS } from './every.ts'
import {
  type ConditionSight,
  clockOf,
  type JudgedFacts,
  judgeAll,
  priceAt,
  readsOf,
  sightOf,
  ticksOf,
} from './judging.ts'
import type { TaskWakes } from './task-wakes.ts'

/** What is known of one now. */
export interface TriggerSight extends Partial<ConditionSight> {
  readonly hookId: string
  /** The next time of a schedule. */
  readonly next?: number
  /** When it fired last. */
  readonly firedAt?: number
  /** The latest, oldest first. */
  readonly fires?: readonly PastFire[]
  /** Why it is not judged now. */
  readonly trouble?: string
}

/** What became true, or was due, and its result. */
export interface PastFire {
  /** When the bar closed, the price came or the time was, ms since the epoch. */
  readonly at: number
  /** The last price then; absent: of a schedule, or missed. */
  readonly price?: string
  /** `accepted`: the run has its state. `unknown`: the process died in between. */
  readonly outcome: 'accepted' | 'lost' | 'unknown'
  /** Absent where it is lost. */
  readonly run?: string
}

export interface TriggerFire {
  readonly hook: Hook
  readonly runId: string
  /** The same for the same bar or time. */
  readonly key: string
  /** `BTCUSDT close(1h) > ema(50), at 2026-11-29 14:00:00 UTC`. */
  readonly why: string
}

/** What the process that drives tasks has for them. */
export interface HookTriggerSurroundings {
  readonly hooks: Pick<HookStore, 'list'>
  readonly journal: DurableJournal
  /** By the path of a POST; never rejects. @returns why the fire is lost; undefined: the hook has it */
  fire(fire: TriggerFire): Promise<string | undefined>
  /** @param isNote nothing that it should have done is lost: for the terminal alone */
  report(hook: Pick<Hook, 'id' | 'name'>, text: string, isNote?: boolean): void
}

/** As the account is connected now. @throws as `Connections.connect` */
type FeedOf = (account: string) => Promise<AccountFeed>

interface HookTriggerPorts extends HookTriggerSurroundings {
  readonly clock: Clock
  readonly wakes: TaskWakes
  /** Looked at afresh: this process still drives. */
  isOurs(): boolean
  readonly feedOf: FeedOf
  readonly problem: (error: unknown) => void
}

// `triggers.jsonl`: what became true, and its result. Bars that were judged otherwise are judged again after a restart, with the same result.

const journalLine = z.union([
  /** It became true, or was due, at that time; the fire follows. */
  z.object({
    t: z.literal('edge'),
    hook: z.string(),
    since: z.number(),
    at: z.number(),
    price: z.exactOptional(z.string()),
    run: z.exactOptional(z.string()),
  }),
  /** `lost`: and was not fired. `unknown`: the process died before it was noted. */
  z.object({
    t: z.literal('done'),
    hook: z.string(),
    at: z.number(),
    lost: z.exactOptional(z.literal(true)),
    unknown: z.exactOptional(z.literal(true)),
  }),
  /** All were judged until then. */
  z.object({ t: z.literal('judged'), at: z.number() }),
])
type JournalLine = z.output<typeof journalLine>

/** `result` is absent until it is known. */
interface Edge extends Pick<PastFire, 'at' | 'price' | 'run'> {
  readonly since: number
  readonly result?: PastFire['outcome']
}

/** Of each hook, oldest first. */
type Edges = Map<string, readonly Edge[]>

interface Kept {
  readonly edges: Edges
  judgedUntil: number | undefined
}

/** Of each hook. */
const KEPT_FIRES = 10

function began(edges: Edges, hook: string, edge: Edge): void {
  const before = edges.get(hook) ?? []
  // A hook that was set anew is moved to the end: the latest are carried over.
  edges.delete(hook)
  edges.set(hook, [...before.filter(({ at }) => at !== edge.at), edge].slice(-KEPT_FIRES))
}

function ended(edges: Edges, hook: string, at: number, result: PastFire['outcome']): void {
  const before = edges.get(hook)
  if (before === undefined) return
  const all = before.map((edge) => (edge.at === at ? { ...edge, result } : edge))
  edges.set(hook, all)
}

function pastFire({ at, price, run, result = 'unknown' }: Edge): PastFire {
  return { at, outcome: result, ...defined({ price, run: result === 'lost' ? undefined : run }) }
}

function fold(lines: readonly string[]): Kept {
  const kept: Kept = { edges: new Map(), judgedUntil: undefined }
  for (const text of lines) {
    const line = readLine(text)
    if (line?.t === 'judged') kept.judgedUntil = Math.max(kept.judgedUntil ?? 0, line.at)
    if (line?.t === 'edge') {
      const { hook, since, at, price, run } = line
      began(kept.edges, hook, { since, at, ...defined({ price, run }) })
    }
    if (line?.t !== 'done') continue
    ended(kept.edges, line.hook, line.at, line.lost ? 'lost' : line.unknown ? 'unknown' : 'accepted')
  }
  return kept
}

function readLine(text: string): JournalLine | undefined {
  try {
    return z.safeParse(journalLine, JSON.parse(text)).data
  } catch {
    // Half a line, of a crash.
    return undefined
  }
}

const MAX_CARRIED = 1_000

export function openTriggerJournal(directory: string): DurableJournal {
  return openDurableJournal({
    path: join(directory, 'triggers.jsonl'),
    carryOver(lines) {
      const { edges, judgedUntil } = fold(lines)
      const kept: JournalLine[] = judgedUntil === undefined ? [] : [{ t: 'judged', at: judgedUntil }]
      for (const [hook, all] of [...edges].slice(-MAX_CARRIED)) {
        for (const { result, at, ...edge } of all) {
          kept.push({ t: 'edge', hook, at, ...edge })
          if (result === undefined) continue
          kept.push({ t: 'done', hook, at, ...(result === 'accepted' ? {} : { [result]: true as const }) })
        }
      }
      return kept.map((line) => JSON.stringify(line))
    },
  })
}

const JUDGED_EVERY_MS = 60_000
const ATTACH_AGAIN_MS = 2_000
const LONGEST_WAIT_MS = 60_000

export class HookTriggers {
  readonly #ports: HookTriggerPorts
  readonly #running = new Map<string, Running>()
  readonly #writing = new Set<Promise<unknown>>()
  #kept: Kept = { edges: new Map(), judgedUntil: undefined }
  #startedAt = Number.POSITIVE_INFINITY
  #notedAt = 0
  #isUnreadable = false
  #readAgainAt = 0
  #isClosed = false

  constructor(ports: HookTriggerPorts) {
    this.#ports = ports
  }

  /** Reads what another process has left. Where that cannot be read nothing fires, and it is tried again. Never rejects. */
  async takeOver(): Promise<void> {
    const { journal, clock, problem } = this.#ports
    this.#readAgainAt = clock.now() + ATTACH_AGAIN_MS
    try {
      this.#kept = fold(await journal.read())
    } catch (error) {
      if (!this.#isUnreadable) problem(error)
      this.#isUnreadable = true
      return
    }
    this.#isUnreadable = false
    this.#startedAt = clock.now()
    this.#notedAt = this.#startedAt
    this.look()
  }

  /** Once a second: takes up what was set, ends what is gone, and connects anew what was disconnected. */
  look(): void {
    const { clock, hooks } = this.#ports
    const now = clock.now()
    if (this.#isClosed) return
    if (this.#isUnreadable && Math.abs(this.#readAgainAt - now) <= ATTACH_AGAIN_MS && now < this.#readAgainAt) return
    if (this.#isUnreadable) return void this.takeOver()
    if (this.#startedAt === Number.POSITIVE_INFINITY) return
    const wanted = new Map(
      hooks.list().flatMap((hook) => (hook.when ? [[hook.id, { hook, when: hook.when }] as const] : [])),
    )
    for (const [id, running] of this.#running) {
      const found = wanted.get(id)
      if (found !== undefined && identityOf(found.hook) === running.identity) continue
      running.end()
      this.#running.delete(id)
    }
    const feedOf = this.#feedsOfLook()
    for (const [id, { hook, when }] of wanted) (this.#running.get(id) ?? this.#begin(hook, when)).look(feedOf)
    if (this.#running.size > 0 && Math.abs(now - this.#notedAt) >= JUDGED_EVERY_MS) this.#noteJudged(now)
  }

  sights(): readonly TriggerSight[] {
    return [...this.#running.values()].map((running) => {
      const { hook, when } = running
      const fires = (this.#kept.edges.get(hook.id) ?? []).filter(({ since }) => since === when.since).map(pastFire)
      const firedAt = fires.findLast(({ outcome }) => outcome === 'accepted')?.at
      return {
        hookId: hook.id,
        ...running.sight(),
        ...defined({ firedAt, fires: fires.length > 0 ? fires : undefined }),
      }
    })
  }

  /** Nothing fires from here on. Resolves when what was judged is noted. */
  async leave(): Promise<void> {
    if (this.#isClosed) return
    if (this.#running.size > 0) this.#noteJudged(this.#ports.clock.now())
    this.abandon()
    await Promise.allSettled(this.#writing)
  }

  /** This process no longer drives. */
  abandon(): void {
    this.#isClosed = true
    for (const running of this.#running.values()) running.end()
    this.#running.clear()
  }

  /** Hundreds of hooks are of a few accounts: each of these is looked for once. */
  #feedsOfLook(): FeedOf {
    const feeds = new Map<string, Promise<AccountFeed>>()
    return (account) => {
      const feed = feeds.get(account) ?? this.#ports.feedOf(account)
      feeds.set(account, feed)
      return feed
    }
  }

  #begin(hook: Hook, when: HookTrigger): Running {
    const edge = this.#kept.edges.get(hook.id)?.at(-1)
    const lastEdge = edge?.since === when.since ? edge : undefined
    if (lastEdge && lastEdge.result === undefined) this.#reportUnknown(hook, lastEdge)
    // One that was set while this process judged has missed nothing.
    const isResumed = when.since < this.#startedAt
    const judged = Math.max(when.since, isResumed ? (this.#kept.judgedUntil ?? 0) : 0, lastEdge?.at ?? 0)
    const terms: RunningTerms = {
      ...this.#ports,
      hook,
      when,
      isResumed,
      judgedUntil: judged,
      lastEdgeAt: lastEdge?.at,
      fire: (at, why, price) => void this.#fire(hook, when, { at, why, price }),
      lost: (at, text) => {
        this.#note({ t: 'edge', hook: hook.id, since: when.since, at }, { t: 'done', hook: hook.id, at, lost: true })
        began(this.#kept.edges, hook.id, { since: when.since, at, result: 'lost' })
        this.#ports.report(hook, text)
      },
      report: (text, isNote) => this.#ports.report(hook, text, isNote),
    }
    const running = createRunning(terms)
    this.#running.set(hook.id, running)
    return running
  }

  #reportUnknown(hook: Hook, edge: Edge): void {
    const { id, name } = hook
    this.#note({ t: 'done', hook: id, at: edge.at, unknown: true })
    ended(this.#kept.edges, id, edge.at, 'unknown')
    this.#ports.report(
      hook,
      `a fire was due at ${clockOf(edge.at)}, and whether it ran is not known: \`hook logs ${name}\` shows it`,
    )
  }

  async #fire(
    hook: Hook,
    when: HookTrigger,
    { at, why, price }: { readonly at: number; readonly why: string; readonly price: string | undefined },
  ): Promise<void> {
    const { journal, isOurs, report, hooks, fire, problem } = this.#ports
    // Another process judges it now.
    if (this.#isClosed || !isOurs()) return
    const run = randomUUID()
    const edge: Edge = { since: when.since, at, run, ...defined({ price }) }
    const line: JournalLine = { t: 'edge', hook: hook.id, ...edge }
    try {
      await this.#written(journal.append([JSON.stringify(line)]))
    } catch (error) {
      if (!(error instanceof StoreError)) return problem(error)
      return report(hook, `missed a fire (${why}): it cannot be written: ${error.message}`)
    }
    began(this.#kept.edges, hook.id, edge)
    const now = hooks.list().find(({ id }) => id === hook.id)
    if (now === undefined || identityOf(now) !== identityOf(hook)) return this.#done(hook, at, true)
    if (this.#isClosed || !isOurs()) return report(hook, `missed a fire (${why}): another hookline drives tasks now`)
    const lost = await fire({ hook: now, runId: run, key: `when ${when.since} ${at}`, why })
    this.#done(hook, at, lost !== undefined)
    if (lost !== undefined) report(hook, `missed a fire (${why}): ${lost}`)
  }

  #done(hook: Hook, at: number, isLost: boolean): void {
    this.#note({ t: 'done', hook: hook.id, at, ...(isLost ? { lost: true as const } : {}) })
    ended(this.#kept.edges, hook.id, at, isLost ? 'lost' : 'accepted')
  }

  #noteJudged(now: number): void {
    this.#notedAt = now
    // A bar that has closed and was not read yet is not judged.
    const at = Math.min(now, ...[...this.#running.values()].map((running) => running.judgedUntil(now)))
    this.#note({ t: 'judged', at })
  }

  #note(...lines: readonly JournalLine[]): void {
    const { journal, problem } = this.#ports
    void this.#written(journal.note(lines.map((line) => JSON.stringify(line)))).catch(problem)
  }

  #written<T>(writing: Promise<T>): Promise<T> {
    const forget = () => void this.#writing.delete(writing)
    this.#writing.add(writing)
    writing.then(forget, forget)
    return writing
  }
}

/** Another one is another trigger. */
function identityOf({ account, when }: Hook): string {
  return JSON.stringify([account, when?.text, when?.symbol, when?.since])
}

interface RunningTerms extends Pick<HookTriggerPorts, 'clock' | 'wakes'> {
  readonly hook: Hook
  readonly when: HookTrigger
  /** It was set before this process judged. */
  readonly isResumed: boolean
  /** ms since the epoch. */
  readonly judgedUntil: number
  readonly lastEdgeAt: number | undefined
  /** @param price the last one then; absent: of a schedule */
  readonly fire: (at: number, why: string, price?: string) => void
  readonly lost: (at: number, text: string) => void
  /** @param isNote as of `HookTriggerSurroundings.report` */
  readonly report: (text: string, isNote?: boolean) => void
}

/** One trigger while this process judges it. */
interface Running {
  readonly hook: Hook
  readonly when: HookTrigger
  readonly identity: string
  look(feedOf: FeedOf): void
  /** Nothing that came by then is still to be judged, ms since the epoch. */
  judgedUntil(now: number): number
  sight(): Omit<TriggerSight, 'hookId' | 'firedAt' | 'fires'>
  end(): void
}

function createRunning(terms: RunningTerms): Running {
  const { hook, when } = terms
  const common = { hook, when, identity: identityOf(hook) }
  let trigger: Trigger
  try {
    trigger = parseTrigger(when.text)
  } catch (error) {
    if (!(error instanceof LanguageError)) throw error
    // Written by a newer hookline, or by hand.
    const trouble = `this hookline cannot read its condition: ${error.message}`
    terms.report(trouble)
    return { ...common, look: () => {}, judgedUntil: (now) => now, sight: () => ({ trouble }), end: () => {} }
  }
  if (trigger.kind === 'schedule') return { ...common, ...runSchedule(terms, trigger) }
  return { ...common, ...runCondition(terms, createEvaluator(trigger.condition)) }
}

type RunningPart = Omit<Running, 'hook' | 'when' | 'identity'>

function runSchedule(
  { clock, wakes, lastEdgeAt, when, fire, lost }: RunningTerms,
  { schedule, lateMs = 0 }: Extract<Trigger, { kind: 'schedule' }>,
): RunningPart {
  const sleeper = {}
  // Each time that was due has a line: those from the last on are looked at.
  let last = Math.max(when.since, lastEdgeAt ?? 0)
  let next: number | undefined
  const nextAfter = (at: number) => nextTimeOf(schedule, when.since, at)

  function wait(): void {
    const now = clock.now()
    const due = timesDue(nextAfter, last, now, Math.max(TIME_LATE_MS, lateMs))
    if (due.missed !== undefined) {
      const { first, count } = due.missed
      last = due.missed.last
      const others = count > 1 ? `, and ${count - 1} later` : ''
      lost(last, `missed ${clockOf(first)}${others}: ${showDuration(now - first)} late`)
    }
    if (due.now !== undefined) {
      last = due.now
      fire(due.now, `${describeSchedule(schedule)}, for ${clockOf(due.now)}`)
    }
    next = due.next
    wakes.set(sleeper, next, wait)
  }

  let isBegun = false
  return {
    look() {
      if (!isBegun) wait()
      isBegun = true
    },
    // Each of its times has a line.
    judgedUntil: (now) => now,
    sight: () => defined({ next }),
    end: () => wakes.set(sleeper, undefined, wait),
  }
}

/** Of a condition: its account, connected. */
interface Attached {
  readonly feed: AccountFeed
  readonly market: Market
  readonly sight: SymbolSight | undefined
  readonly bars: ReadingsWatch
  /** Where only bars are judged: an order of the hook asks the venue for no price first. */
  readonly unwatchTicker: (() => void) | undefined
}

function runCondition(terms: RunningTerms, evaluator: Evaluator): RunningPart {
  const { clock, wakes, hook, when, report } = terms
  const { condition } = evaluator
  const { symbol = '' } = when
  const { account } = hook
  const memory: EvaluatorState = evaluator.initial()
  const reads = readsOf(condition)
  const judgesPrices = condition.ticks.length > 0 || condition.isLive
  let attached: Attached | undefined
  let isFirst = true
  let trouble: string | undefined
  let isAttaching = false
  let failures = 0
  let tryAt = 0
  let isEnded = false
  let lastLine: string | undefined
  const sleeper = {}

  function detach(): void {
    attached?.sight?.end()
    attached?.bars.end()
    attached?.unwatchTicker?.()
    attached = undefined
  }

  async function attach(feedOf: FeedOf): Promise<void> {
    const feed = await feedOf(account ?? '')
    if (feed === attached?.feed || isEnded) return
    detach()
    const sight = judgesPrices
      ? await feed.watch(symbol, { ticker: judge, position: judge, order: () => {}, trade: () => {} })
      : undefined
    const market = sight?.market ?? (await feed.account.venue.loadMarkets()).find((each) => each.symbol === symbol)
    if (market === undefined) throw new Error(`${feed.account.venue.id} has no market ${symbol}`)
    const bars = await feed.bars.watch(market, reads, judge)
    const unwatchTicker = sight === undefined ? feed.account.venue.watchTicker(symbol) : undefined
    attached = { feed, market, sight, bars, unwatchTicker }
    if (isEnded) return detach()
    // Over the gap of a connection prices say nothing; bars say when they closed.
    judgeNow(isFirst ? terms.isResumed : judgesPrices)
    isFirst = false
  }

  function facts({ market, sight, bars }: Attached): JudgedFacts {
    return {
      now: clock.now(),
      market,
      isPositionKnown: sight?.isPositionKnown() ?? false,
      readings: bars.readings(),
      ...defined({ ticker: sight?.ticker(), position: sight?.position() }),
    }
  }

  function judge(): void {
    if (!isFirst) judgeNow(false)
  }

  function judgeNow(isResumed: boolean): void {
    if (attached === undefined || isEnded) return
    const before = { isResumed, until: terms.judgedUntil }
    const known = facts(attached)
    const { edgeAt, missed, lines, judgeAgainAt } = judgeAll(evaluator, memory, known, before)
    wakes.set(sleeper, judgeAgainAt, judge)
    const lastMissed = missed.at(-1)
    const lostLine = lastMissed === undefined ? undefined : lines.at(-1)
    // A venue that is late is read again, with the same correction.
    for (const text of lines) if (text !== lostLine && text !== lastLine) report(text, true)
    lastLine = lines.at(-1) ?? lastLine
    if (lastMissed !== undefined && lostLine !== undefined) terms.lost(lastMissed, lostLine)
    if (edgeAt === undefined) return
    terms.fire(
      edgeAt,
      `${symbol} ${showCondition(when.text)}, at ${clockOf(edgeAt)}`,
      priceAt(condition, edgeAt, known),
    )
  }

  function failed(error: unknown): void {
    failures += 1
    tryAt = clock.now() + Math.min(ATTACH_AGAIN_MS * 2 ** (failures - 1), LONGEST_WAIT_MS)
    const why = error instanceof Error ? error.message : String(error)
    if (trouble === undefined) report(`not judged: ${why}`)
    trouble = why
  }

  return {
    look(feedOf) {
      const now = clock.now()
      if (isAttaching || isEnded || (now < tryAt && tryAt - now <= LONGEST_WAIT_MS)) return
      isAttaching = true
      attach(feedOf)
        .then(() => {
          if (trouble !== undefined) report('judged again')
          trouble = undefined
          failures = 0
        }, failed)
        .finally(() => {
          isAttaching = false
        })
    },
    judgedUntil(now) {
      if (isFirst) return Math.min(now, terms.judgedUntil)
      const [bar] = memory.lastBars
      const [finest] = condition.frames
      return bar && finest ? Math.min(now, bar.at + 2 * CANDLE_MS[finest] - 1) : now
    },
    sight() {
      const ticks = attached === undefined ? {} : ticksOf(facts(attached))
      return { ...sightOf(evaluator, memory, ticks), ...defined({ trouble }) }
    },
    end() {
      isEnded = true
      wakes.set(sleeper, undefined, judge)
      detach()
    },
  }
}
