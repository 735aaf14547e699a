// Proposals (behaviour 146): a client writes a line and why, a person sees what it would order now and approves it or not. What runs is the line
// that was shown, within the grant of its client, at most once.
import { randomBytes, randomUUID } from 'node:crypto'
import { Decimal } from 'decimal.js'
import { defined } from '../base/defined.ts'
import { unknownAccount } from '../commands/account/account-name.ts'
import { bindVariables, variableOf } from '../commands/flow/variables.ts'
import { requireMayRun } from '../commands/kit/command.ts'
import { asApproved, notGranted, requireGranted } from '../commands/kit/effects.ts'
import { CommandError } from '../commands/kit/errors.ts'
import type { CommandPorts, ProposalPort, Proposed, Proposer } from '../commands/kit/ports.ts'
import type { CommandLookup } from '../commands/kit/resolve.ts'
import type { Argument, Chain, CommandCall, Step } from '../language/chain.ts'
import { callsIn, expandAlias, hasVariable } from '../language/expansion.ts'
import { parseChain } from '../language/parse.ts'
import { printChain } from '../language/print.ts'
import { printable } from '../language/printable.ts'
import type { Preview } from '../protocol/preview.ts'
import { isOpen } from '../protocol/rows.ts'
import { WIRE_LIMITS } from '../protocol/wire-limits.ts'
import type { RunRequest, RunResult } from '../runs/run.ts'
import { isAlive, ownIdentity, type ProcessIdentity } from '../stores/kernel-files.ts'
import {
  digestOf,
  type Proposal,
  type ProposalBook,
  type ProposalLine,
  type ProposalStore,
} from '../stores/proposals.ts'
import { showMoment } from '../trading/figures.ts'

export const PROPOSAL_LIMITS = {
  /** Of all clients. */
  openOfAll: 16,
  /** More than a person reads. */
  orders: 20,
  defaultMinutes: 10,
  /** A price, an amount or a sum that is further from the one shown is another. */
  tolerance: '0.005',
  /** A clock is set right by less. */
  clockSlackMs: 60_000,
} as const

const HOUR_MS = 3_600_000
const MINUTE_MS = 60_000

interface ProposalsOptions {
  readonly store: ProposalStore
  readonly ports: () => Pick<
    CommandPorts,
    'trustedClients' | 'config' | 'panic' | 'accounts' | 'aliases' | 'variables' | 'focus' | 'preview'
  >
  readonly lookup: CommandLookup
  /** Never rejects. */
  readonly run: (request: RunRequest) => Promise<RunResult & { readonly outcome?: string }>
  /** ms since the epoch. */
  readonly now: () => number
  /** ms of a clock that nobody sets. */
  readonly steady?: () => number
  readonly identity?: ProcessIdentity
  readonly isAlive?: (process: ProcessIdentity) => boolean
  readonly onBug: (error: unknown) => void
}

export class Proposals implements ProposalPort {
  readonly #options: ProposalsOptions
  readonly #steady: () => number
  /** Times of the last hour, by client: each is worked on, and so counts, whatever becomes of it. */
  readonly #attempts = new Map<string, number[]>()
  readonly #watchers = new Set<(book: ProposalBook) => void>()
  /** Ends of proposals as this process has seen them come, by its steady clock. */
  readonly #endsAt = new Map<string, number>()
  #mute: { readonly at: number; readonly until: number; readonly ends: number } | undefined
  /** Approvals of this process between their line and the line of their beginning. */
  readonly #beginning = new Set<string>()
  #turn: Promise<unknown> = Promise.resolve()
  #expiry: NodeJS.Timeout | undefined

  constructor(options: ProposalsOptions) {
    this.#options = options
    this.#steady = options.steady ?? (() => performance.now())
  }

  /** Reports each change, of whatever process, and ends what has expired. @returns stops it */
  follow(changed: (book: ProposalBook) => void): () => void {
    this.#watchers.add(changed)
    const look = () => void this.#look().catch(this.#options.onBug)
    const stop = this.#options.store.watch(look)
    look()
    return () => {
      stop()
      clearTimeout(this.#expiry)
      this.#watchers.delete(changed)
    }
  }

  async list(): Promise<readonly Proposal[]> {
    const { proposals } = await this.#current()
    return proposals
  }

  async find(id: string): Promise<Proposal> {
    return required((await this.#current()).proposals, id)
  }

  async propose(by: Proposer, asked: Proposed): Promise<Proposal> {
    const { store } = this.#options
    this.#requireSwitchedOn()
    this.#requireMay(by)
    const { muted, proposals } = await store.read()
    if (muted !== undefined && this.#isMuted(muted)) {
      throw new CommandError('muted', `the operator denies all proposals until ${showMoment(muted.until)}`, {
        hint: 'propose nothing before that',
      })
    }
    // In one turn with the look at the file: a burst counts itself.
    this.#take(by, proposals)
    return this.#inTurn(() => this.#proposeInTurn(by, asked))
  }

  async withdraw(clientId: string, id: string): Promise<Proposal> {
    const { proposals } = await this.#current()
    const own = proposals.filter((each) => each.clientId === clientId)
    if (!isOpen(required(own, id))) throw notOpen(required(own, id))
    await this.#write({ t: 'withdrawn', id, at: this.#options.now() })
    const after = await this.find(id)
    if (after.state !== 'withdrawn') throw notOpen(after)
    return after
  }

  async deny(id: string): Promise<Proposal> {
    const before = await this.find(id)
    if (!isOpen(before)) throw notOpen(before)
    await this.#write({ t: 'denied', id, at: this.#options.now() })
    const after = await this.find(id)
    if (after.state !== 'denied') throw notOpen(after)
    return after
  }

  async denyAll(forMs: number): Promise<{ readonly denied: number; readonly until: number }> {
    const at = this.#options.now()
    const until = at + forMs
    await this.#write({ t: 'muted', at, until })
    const open = (await this.#current()).proposals.filter(isOpen)
    for (const { id } of open) await this.#write({ t: 'denied', id, at })
    return { denied: open.length, until }
  }

  /** Works out anew what it would order; writes `changed` where that is another thing than was shown. */
  async lookAgain(id: string): Promise<{ readonly proposal: Proposal; readonly changes?: string }> {
    const before = await this.find(id)
    if (!isOpen(before)) throw notOpen(before)
    const now = await this.#preview(before)
    requireSound(now)
    const changes = differenceOf(before.preview, now)
    if (changes === undefined) return { proposal: before }
    await this.#write({ t: 'changed', id, at: this.#options.now(), preview: now })
    const proposal = await this.find(id)
    if (!isOpen(proposal)) throw notOpen(proposal)
    return { proposal, changes }
  }

  /**
   * A person has said yes to what `shown` has. It is worked out once more, and runs if it still is what was shown.
   * @throws {CommandError} `changed`: it is not, and has to be shown again; `not-open`
   */
  async approve(
    shown: Proposal,
    requireMay: () => void = () => {},
  ): Promise<{ readonly runId: string; readonly ended: Promise<RunResult> }> {
    const { id } = shown
    const digest = digestOf(shown)
    this.#requireSwitchedOn()
    const { proposal, changes } = await this.lookAgain(id)
    if (changes !== undefined || digestOf(proposal) !== digest) {
      throw new CommandError('changed', `proposal ${id} has changed since it was shown: ${changes ?? 'see it again'}`, {
        hint: `type \`approve ${id}\` to see it as it is now`,
      })
    }
    if (!isOpen(await this.find(id))) throw notOpen(await this.find(id))
    requireMay()
    const at = this.#options.now()
    const claim = randomUUID()
    const runId = randomUUID()
    this.#beginning.add(claim)
    try {
      await this.#write({ t: 'approved', id, at, shown: digest, claim, ...this.#identity() })
      const mine = await this.find(id)
      if (mine.state !== 'approved' || mine.claim !== claim) throw notOpen(mine)
      await this.#write({ t: 'begun', id, at: this.#options.now(), claim, runId })
    } finally {
      this.#beginning.delete(claim)
    }
    const begun = await this.find(id)
    if (begun.state !== 'begun' || begun.runId !== runId) throw notOpen(begun)
    return { runId, ended: this.#run(begun, runId) }
  }

  #identity(): ProcessIdentity {
    return this.#options.identity ?? ownIdentity()
  }

  async #run(proposal: Proposal, runId: string): Promise<RunResult> {
    const { id, clientId, origin: pageOrigin, label, account, symbol, line } = proposal
    const result = await this.#options.run({
      runId,
      source: 'web',
      command: line,
      origin: label,
      clientId,
      pageOrigin,
      account,
      symbol,
      proposal: id,
    })
    const { success, error, outcome } = result
    // What it brought is with the run itself, too: a full disk changes nothing of it.
    await this.#write({ t: 'ended', id, at: this.#options.now(), success, ...defined({ error, outcome }) }).catch(
      this.#options.onBug,
    )
    return result
  }

  async #proposeInTurn(by: Proposer, asked: Proposed): Promise<Proposal> {
    const { now } = this.#options
    const { line, symbol } = this.#readLine(by, asked)
    const { account, reason, untilMinutes = PROPOSAL_LIMITS.defaultMinutes } = asked
    const open = (await this.#current()).proposals.filter(isOpen)
    const own = open.filter(({ clientId }) => clientId === by.clientId)
    const equal = own.find((each) => each.line === line && each.account === account && each.symbol === symbol)
    if (equal !== undefined) return equal
    if (own.length >= WIRE_LIMITS.proposalsOpen) throw tooManyOpen(`${own.length} proposals of this client are open`)
    if (open.length >= PROPOSAL_LIMITS.openOfAll) throw tooManyOpen(`${open.length} proposals of all clients are open`)
    const draft = { clientId: by.clientId, origin: by.origin, account, symbol, line }
    const preview = await this.#preview(draft)
    requireSound(preview)
    requireReadable(preview)
    // The grant may have been narrowed meanwhile.
    this.#requireMay(by)
    const at = now()
    const id = `p-${newId()}`
    const label = printable(by.label, WIRE_LIMITS.labelLength)
    const until = at + untilMinutes * MINUTE_MS
    this.#endsAt.set(id, this.#steady() + untilMinutes * MINUTE_MS)
    await this.#write({ t: 'proposed', id, at, until, ...draft, label, reason: printable(reason), preview })
    return this.find(id)
  }

  /** The line as it would run, with nothing left in it that could mean another thing later. */
  #readLine(by: Proposer, { line, account, symbol }: Proposed): { readonly line: string; readonly symbol: string } {
    const { lookup } = this.#options
    const ports = this.#options.ports()
    if (ports.accounts.find(account) === undefined) throw unknownAccount(account)
    const variable = (name: string) =>
      variableOf(ports.variables, { source: 'web', by: { clientId: by.clientId } }, name)
    const chain = resolved(parseChain(line), { lookup, aliases: ports.aliases.read(), variable })
    const printed = printChain(chain)
    if (printed.length > WIRE_LIMITS.commandLength || printChain(parseChain(printed)) !== printed)
      throw unreadable('the line cannot be written out')
    const calls = callsIn(chain)
    if (calls.length === 0) throw unreadable('the line is empty')
    const grant = this.#requireMay(by)
    for (const call of calls) {
      const { path, form, args, isDry } = lookup.resolve(call)
      requireMayRun(path, form.where, 'web')
      if (form.sends !== true || isDry)
        throw unreadable(
          `\`${path}\` ${isDry ? 'with --dry ' : ''}sends no order, and a proposal has only steps that do`,
        )
      if (grant !== undefined) requireGranted(grant, { path, args, isDry: false, account })
    }
    return { line: printed, symbol: (symbol ?? ports.focus.symbol()).toUpperCase() }
  }

  #preview({
    clientId,
    origin,
    account,
    symbol,
    line,
  }: Pick<Proposal, 'clientId' | 'origin' | 'account' | 'symbol' | 'line'>) {
    return this.#options
      .ports()
      .preview({ command: line, source: 'web', clientId, pageOrigin: origin, account, symbol })
  }

  #requireSwitchedOn(): void {
    const { panic, config } = this.#options.ports()
    if (panic.readOncePerTurn() !== undefined)
      throw new CommandError('switched-off', 'panic is on', { hint: 'type `resume` in the terminal' })
    if (config.readOncePerTurn().listener.remoteExec) return
    throw new CommandError('switched-off', 'remoteExec is off', { hint: 'type `switch on remoteExec` in the terminal' })
  }

  /** @returns what its approved lines may do; undefined: it has no grant @throws {CommandError} `not-granted` */
  #requireMay({ clientId, origin }: Proposer) {
    const grant = this.#options.ports().trustedClients.grantOf(clientId, origin)
    if (grant?.may === 'look') throw notGranted('a proposal', grant)
    return grant && asApproved(grant)
  }

  /** A clock that is set back neither lifts a mute nor makes it longer: this process counts on by the clock that nobody sets. */
  #isMuted({ at, until }: NonNullable<ProposalBook['muted']>): boolean {
    const [now, steady] = [this.#options.now(), this.#steady()]
    if (this.#mute?.at !== at || this.#mute.until !== until)
      this.#mute = { at, until, ends: steady + Math.min(until - now, until - at) }
    return now < until && steady < this.#mute.ends
  }

  /** @throws {CommandError} `too-many` */
  #take({ clientId, origin }: Proposer, proposals: readonly Proposal[]): void {
    const steady = this.#steady()
    const recent =
      this.#attempts.get(clientId)?.filter((at) => at > steady - HOUR_MS) ?? this.#madeBefore(clientId, proposals)
    this.#attempts.set(clientId, recent)
    const most =
      this.#options.ports().trustedClients.grantOf(clientId, origin)?.proposalsPerHour ?? WIRE_LIMITS.proposalsPerHour
    if (recent.length < most) return void recent.push(steady)
    throw new CommandError('too-many', `a client may make ${most} proposals an hour`, {
      hint: 'wait, or ask the operator for more: `clients grant` takes --proposals',
    })
  }

  /** Before this process knew the client. */
  #madeBefore(clientId: string, proposals: readonly Proposal[]): number[] {
    const [now, steady] = [this.#options.now(), this.#steady()]
    return proposals
      .filter((each) => each.clientId === clientId && Math.abs(now - each.at) < HOUR_MS)
      .map(({ at }) => steady - Math.max(0, now - at))
  }

  /** One after another: what is open is counted before the next is worked out. */
  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#turn.then(work)
    this.#turn = done.catch(() => {})
    return done
  }

  async #write(line: ProposalLine): Promise<void> {
    await this.#options.store.append(line)
    await this.#look()
  }

  /** The book, after what has ended by now was written down. */
  async #current(): Promise<ProposalBook> {
    const { store, now } = this.#options
    let book = await store.read()
    const ended = book.proposals.flatMap((each) => {
      const why = this.#whyOver(each)
      return why === undefined ? [] : [{ id: each.id, why }]
    })
    for (const { id, why } of ended) await store.append({ t: 'expired', id, at: now(), why })
    if (ended.length > 0) book = await store.read()
    return book
  }

  #whyOver(proposal: Proposal): string | undefined {
    const { id, at, until } = proposal
    if (proposal.state === 'approved') return this.#whyNotBegun(proposal)
    if (!isOpen(proposal)) return undefined
    if (this.#options.ports().trustedClients.findOncePerTurn(proposal.clientId).length === 0)
      return 'its client was revoked'
    const now = this.#options.now()
    if (now >= until || (this.#endsAt.get(id) ?? Number.POSITIVE_INFINITY) <= this.#steady()) return 'its time is up'
    return now < at - PROPOSAL_LIMITS.clockSlackMs ? 'the clock was set back' : undefined
  }

  #whyNotBegun({ approver, claim }: Proposal): string | undefined {
    if (approver === undefined) return undefined
    if (!(this.#options.isAlive ?? isAlive)(approver))
      return 'it was approved, and hookline ended before it began: nothing was sent'
    const { pid, born } = this.#identity()
    const isOwn = approver.pid === pid && approver.born === born
    if (!isOwn || claim === undefined || this.#beginning.has(claim)) return undefined
    return 'it was approved, and its start could not be recorded: nothing was sent'
  }

  async #look(): Promise<void> {
    const book = await this.#current()
    for (const changed of this.#watchers) changed(book)
    if (this.#watchers.size > 0) this.#expireLater(book)
  }

  #expireLater({ proposals }: ProposalBook): void {
    clearTimeout(this.#expiry)
    const now = this.#options.now()
    const next = Math.min(...proposals.filter(isOpen).map(({ until }) => until - now))
    if (!Number.isFinite(next)) return
    const look = () => void this.#look().catch(this.#options.onBug)
    this.#expiry = setTimeout(look, Math.max(next, 0) + 1).unref()
  }
}

/** For people to type: 40 bits, in which no two letters look alike. */
const ID_LETTERS = 'abcdefghjkmnpqrstuvwxyz23456789'
function newId(): string {
  return Array.from(randomBytes(8), (byte) => ID_LETTERS[byte % ID_LETTERS.length]).join('')
}

function required(proposals: readonly Proposal[], id: string): Proposal {
  const found = proposals.find((each) => each.id === id)
  if (found !== undefined) return found
  throw new CommandError('unknown-proposal', `no proposal ${printable(id, 40)} found`, {
    hint: '`proposals` lists them',
  })
}

function notOpen({ id, state, why }: Proposal): CommandError {
  const because = why === undefined ? '' : `: ${why}`
  return new CommandError('not-open', `proposal ${id} is ${state}${because}`, {
    hint: '`proposals` lists what is open',
  })
}

function tooManyOpen(message: string): CommandError {
  return new CommandError('too-many-open', message, { hint: 'withdraw one, or wait for the operator' })
}

function unreadable(message: string): CommandError {
  return new CommandError('not-proposable', message, { hint: 'propose orders, cancels and closes, written out' })
}

interface Names {
  readonly lookup: CommandLookup
  readonly aliases: Readonly<Record<string, string>>
  readonly variable: (name: string) => string | undefined
}

/** Aliases and variables of now in their places. @throws {CommandError} `not-proposable` @throws {LanguageError} */
function resolved(chain: Chain, names: Names): Chain {
  return { stages: chain.stages.flatMap(({ commands }) => stagesOf(commands, names)) }
}

function stagesOf(commands: readonly Step[], names: Names): Chain['stages'] {
  const [only] = commands
  if (commands.length === 1 && only !== undefined && only.links === undefined) {
    const alias = aliasOf(only, names)
    return alias === undefined ? [{ commands: [resolvedCall(only, names)] }] : resolved(alias, names).stages
  }
  const step = ({ links, ...first }: Step): Step => ({
    ...asOneCall(first, names),
    ...(links && { links: links.map((link) => ({ ...link, call: asOneCall(link.call, names) })) }),
  })
  return [{ commands: commands.map(step) }]
}

/** Beside others there is room for one command. */
function asOneCall(call: CommandCall, names: Names): CommandCall {
  const alias = aliasOf(call, names)
  if (alias === undefined) return resolvedCall(call, names)
  const { stages } = resolved(alias, names)
  const [only, ...others] = stages.flatMap(({ commands }) => commands)
  if (only !== undefined && others.length === 0 && only.links === undefined) return only
  throw unreadable(`alias ${printable(call.name, 40)} has several commands and is not alone in its step`)
}

function aliasOf(call: CommandCall, { lookup, aliases }: Names): Chain | undefined {
  return lookup.find(call.name) ? undefined : expandAlias(call, aliases)
}

function resolvedCall(call: CommandCall, names: Names): CommandCall {
  const { form } = names.lookup.resolve(call)
  const inGroup = (argument: Argument): Argument =>
    argument.kind === 'group' ? { ...argument, chain: resolved(argument.chain, names) } : argument
  const args = bindVariables(form, call.args, names.variable).map(inGroup)
  // The value of a variable may look like one: in the printed line it would be.
  if (hasVariable(args.filter((each) => each.kind === 'word')))
    throw unreadable('a variable remains in the line when its variables are replaced')
  return { ...call, args }
}

/** @throws {CommandError} the line would fail, with the code of why */
function requireSound(preview: Preview): void {
  if (preview.ok) return
  const refused = [...preview.orders, ...preview.changes].find((each) => each.refused !== undefined)?.refused
  const { code, text, hint } = preview.blocked ??
    preview.errors[0] ??
    refused ?? { code: 'failed', text: 'it would fail' }
  throw new CommandError(code, `the line would not run now: ${text}`, defined({ hint }))
}

/** @throws {CommandError} `not-proposable` */
function requireReadable({ orders, cancels, changes, tasks }: Preview): void {
  const count = orders.length + cancels.length + changes.length + tasks.length
  if (count === 0) throw unreadable('the line would order, cancel and change nothing')
  if (count <= PROPOSAL_LIMITS.orders) return
  throw unreadable(`the line has ${count} orders, and a proposal has at most ${PROPOSAL_LIMITS.orders}`)
}

// Whether what a line would do now is what it would have done when it was shown.

/** Exact: the rest of an order is figures, which may be off by `tolerance`. */
const SAME = {
  orders: ['account', 'symbol', 'side', 'type', 'unit', 'reduceOnly', 'postOnly', 'timeInForce'],
  cancels: ['account', 'symbol', 'id'],
  changes: ['account', 'symbol', 'id'],
  settings: ['account', 'symbol', 'what', 'value'],
  tasks: ['account', 'symbol', 'kind', 'side', 'reduceOnly', 'slices', 'lastsMs'],
} as const
const CLOSE = ['amount', 'price', 'triggerPrice', 'takeProfitPrice', 'at', 'slice', 'fills'] as const
const CLAUSES = ['stop', 'takeProfit'] as const

/** @returns what is another thing now; undefined: nothing is */
export function differenceOf(shown: Preview, now: Preview): string | undefined {
  for (const list of Object.keys(SAME) as (keyof typeof SAME)[]) {
    const [before, after] = [shown[list] as readonly object[], now[list] as readonly object[]]
    if (before.length !== after.length) return `${after.length} ${list} instead of ${before.length}`
    for (const [index, row] of before.entries()) {
      const field = otherField(row, after[index] ?? {}, SAME[list])
      if (field !== undefined) return `another ${field} in ${list} ${index + 1}`
    }
  }
  return undefined
}

function otherField(before: object, after: object, same: readonly string[]): string | undefined {
  const [one, other] = [before as Record<string, unknown>, after as Record<string, unknown>]
  const exact = same.find((field) => one[field] !== other[field])
  if (exact !== undefined) return exact
  const figure = CLOSE.find((field) => !isClose(one[field], other[field]))
  if (figure !== undefined) return figure
  return CLAUSES.find((clause) => !isClose(triggerOf(one[clause]), triggerOf(other[clause])))
}

function triggerOf(clause: unknown): unknown {
  return (clause as { readonly triggerPrice?: string } | undefined)?.triggerPrice
}

function isClose(one: unknown, other: unknown): boolean {
  if (typeof one !== 'string' || typeof other !== 'string') return one === other
  const [before, after] = [new Decimal(one), new Decimal(other)]
  return after.minus(before).abs().lte(before.abs().mul(PROPOSAL_LIMITS.tolerance))
}
