// `clients`, `approve` and `deny`: which pages and programs may drive this process. Only a person at this machine says so,
// and only they see who is trusted: a clientId is what a client is known by (behaviour 19, 33).
import { defined } from '../../base/defined.ts'
import type { Argument } from '../../language/chain.ts'
import { printable } from '../../language/printable.ts'
import { parseLongDuration } from '../../language/time.ts'
import { keyTail } from '../../protocol/proof.ts'
import { type AskedGrant, GRANT_LEVELS, GRANT_MS, type GrantLevel, MOST_NAMED } from '../../protocol/rows.ts'
import { WIRE_LIMITS } from '../../protocol/wire-limits.ts'
import type { AuditPort } from '../../stores/audit-log.ts'
import { type Grant, heldNow, isWider } from '../../stores/client-grants.ts'
import { findByIdPrefix, MIN_PREFIX_LENGTH } from '../../stores/rows.ts'
import { StoreError } from '../../stores/store-error.ts'
import type { TrustedClient } from '../../stores/trusted-clients.ts'
import { showDuration, showMoment, showMoney, shownZone, showZonedTime } from '../../trading/figures.ts'
import { isAllowedOrigin, type OriginPolicy, originPolicy, parseOrigin } from '../../trust/allowed-origins.ts'
import { unknownAccount } from '../account/account-name.ts'
import type { CommandContext, CommandFamily, CommandForm, SingleCommand } from '../kit/command.ts'
import type { CommandData } from '../kit/data.ts'
import { CommandError } from '../kit/errors.ts'
import { renderTable } from '../kit/lines.ts'
import type { Clients, PendingClient } from '../kit/ports.ts'
import { refuseMoreThan, requireText, takeOption } from '../kit/read-arguments.ts'
import { approveProposal, denyProposals, PROPOSAL_ID } from './proposals.ts'

const ID = "the client's id"
const DAY_MS = 86_400_000

const list: CommandForm<'trustedClients' | 'clients' | 'listenerKey'> = {
  name: 'list',
  usage: '',
  summary: 'clients you have approved, and those awaiting approval',
  where: 'trusted',
  rows: true,
  underPanic: true,
  examples: [{ line: 'clients', meaning: 'with how many connections each has open' }],
  run(context, args) {
    refuseMoreThan(0, args)
    const { trustedClients, clients, listenerKey } = context.ports
    const rows = trustedClients.list()
    const pending = clients?.pending() ?? []
    const data = describeData(rows, pending, clients?.connected())
    if (rows.length === 0) context.out.info('no clients yet; you are asked here when one connects', data)
    else context.out.print(renderTrusted(rows, clients?.connected()), data)
    const own = listenerKey.publicKey()
    if (own !== undefined) context.out.info(`this hookline proves itself to them with the key ${keyTail(own)}`)
    if (pending.length === 0) return
    context.out.warn('awaiting approval, `approve <id>` or `deny <id>`:')
    const isAsked = pending.some((row) => row.asks !== undefined)
    const columns = titled('client id', 'label', 'origin', 'proof', ...(isAsked ? ['asks for'] : []))
    const askedCell = ({ asks }: PendingClient) => (isAsked ? [asks === undefined ? '' : describeAsked(asks)] : [])
    const cells = pending.map((row) => [...nameCells(row), proofCell(row), ...askedCell(row)])
    context.out.print(renderTable(columns, cells))
  },
}

const revoke: CommandForm<'trustedClients' | HookPorts> = {
  name: 'revoke',
  usage: '<id | prefix | --all>',
  summary: 'stop trusting a client; its open sessions are cut',
  where: 'trusted',
  underPanic: true,
  examples: [
    {
      line: 'clients revoke 3f9c2a71',
      meaning: 'at least 8 characters of its id; you are asked again when it comes back',
    },
    { line: 'clients revoke --all', meaning: 'every client' },
  ],
  complete: ({ words }) => (words.length === 0 ? ['--all'] : []),
  async run(context, args) {
    const prefix = requireText(args, 0, `${ID} or --all`)
    refuseMoreThan(1, args)
    const { trustedClients } = context.ports
    if (prefix === '--all') {
      const count = await trustedClients.revokeAll()
      if (count === 0) context.out.info('no client to revoke')
      else context.out.success(`revoked ${count === 1 ? '1 client' : `${count} clients`}; open sessions are cut`)
      return context.audit('client revoke', { all: true, count })
    }
    const [client, ...twins] = await trustedClients.revoke(prefix)
    if (client === undefined) return
    const elsewhere = twins.map(({ origin }) => ` and ${printable(origin, 60)}`).join('')
    context.out.success(`revoked ${describeClient(client)}${elsewhere}; its open sessions are cut`)
    await context.audit('client revoke', auditedClient(client))
    warnOfHooks(context, client.clientId)
  },
}

const trust: CommandForm<'config' | 'trustedClients'> = {
  name: 'trust',
  usage: '<clientId> [--origin <origin>] [--label <text>] [--key <key>]',
  summary: 'approve a client in advance, where there is no prompt',
  where: 'trusted',
  examples: [
    { line: 'clients trust 3f9c2a71-5d0e-4b7a-9c1f-2e8d6a4b0c93', meaning: 'on the first of listener.allowedOrigins' },
    {
      line: 'clients trust 3f9c2a71-5d0e-4b7a-9c1f-2e8d6a4b0c93 --origin http://localhost:53220 --label "my tab"',
      meaning: 'trust holds on that origin only',
    },
  ],
  complete: ({ words }) => (words.length >= 1 ? ['--origin', '--label', '--key'] : []),
  async run(context, args) {
    const { rest: withoutOrigin, value: givenOrigin } = takeOption(args, '--origin', 'the origin')
    const { rest: withoutLabel, value: label = '' } = takeOption(withoutOrigin, '--label', 'the label')
    const { rest, value: key } = takeOption(withoutLabel, '--key', "the client's public key")
    const clientId = requireText(rest, 0, ID)
    refuseMoreThan(1, rest)
    if (label.length > WIRE_LIMITS.labelLength) {
      throw new CommandError('too-long', `a label has at most ${WIRE_LIMITS.labelLength} characters`)
    }
    const policy = originPolicy(context.ports.config.read())
    const origin = givenOrigin === undefined ? firstAllowed(policy) : requireOrigin(givenOrigin)
    const row = { clientId, label, origin, ...defined({ key }) }
    const client = await context.ports.trustedClients.add(row)
    context.out.success(`trusted ${describeClient(client)}`)
    await context.audit('client trust', auditedClient(client))
    if (isAllowedOrigin(policy, origin)) return
    context.out.warn(`${origin} is not among the allowed origins: add it to listener.allowedOrigins in config.json`)
  },
}

const GRANT_OPTIONS = ['--per-order', '--per-day', '--accounts', '--symbols', '--proposals', '--until'] as const

const grant: CommandForm<'trustedClients' | 'accounts' | HookPorts> = {
  name: 'grant',
  usage:
    '<id | prefix> <look | propose | trade> [--per-order $100] [--per-day $300] [--accounts a,b] [--symbols X,Y] [--proposals 20/h] [--until 7d]',
  summary: 'what a client may do, up to how many dollars, and for how long; its runs under way end',
  where: 'trusted',
  underPanic: true,
  examples: [
    {
      line: 'clients grant 3f9c2a71 trade --per-order $100 --per-day $300 --accounts paper --until 7d',
      meaning: 'orders that add are counted since 00:00 UTC, over all its accounts',
    },
    { line: 'clients grant 3f9c2a71 look', meaning: 'nothing that orders or changes anything' },
  ],
  details: [
    'A limit that is not named stays as it was; `off` removes it. Without --until a new grant lasts 7 days, and then its client may look.',
    'hookline asks before it widens a limit; a line of `hookline exec` only narrows. `propose` runs what `look` runs, and its lines wait for `approve`.',
    'Without --proposals a client may make 20 proposals an hour.',
    'Cancels and what only reduces pass the limits in dollars. `clients revoke` and a new approval give back what a client has without a grant.',
  ],
  complete: ({ words, accounts }) => {
    if (words.at(-1) === '--accounts') return accounts
    return words.length === 1 ? GRANT_LEVELS : words.length > 1 ? GRANT_OPTIONS : []
  },
  async run(context, args) {
    const { trustedClients, accounts } = context.ports
    const { rest, options } = takeOptions(args)
    const prefix = requireText(rest, 0, ID)
    const level = requireText(rest, 1, 'look, propose or trade')
    refuseMoreThan(2, rest)
    const may = GRANT_LEVELS.find((each) => each === level.toLowerCase())
    if (may === undefined) throw badGrant(`${printable(level, 40)} is not a grant`, 'type look, propose or trade')
    const rows = rowsNamed(trustedClients.list(), prefix)
    const before = rows.flatMap((row) => row.grant ?? [])
    const next = readGrant(may, options, { before: before[0], now: context.clock.now() })
    const unknown = next.accounts?.find((name) => accounts.find(name) === undefined)
    if (unknown !== undefined) throw unknownAccount(unknown)
    const widens = before.some((each) => isWider(next, each))
    if (widens) await askWider(context, next)
    const [client] = await trustedClients.grant(prefix, next, widens)
    if (client === undefined) return
    context.out.success(`${describeClient(client)} may ${describeGrant(next)}`)
    await context.audit('client grant', { ...auditedClient(client), grant: next })
    if (!widens) warnOfHooks(context, client.clientId)
  },
}

type HookPorts = 'hooks' | 'audit'

const MOST_HOOKS = 20

/** A hook runs by its own limits and not by the grant of the client that made it, so one that was made before outlives the narrower grant. */
function warnOfHooks({ ports: { hooks, audit }, out }: CommandContext<HookPorts>, clientId: string): void {
  const rows = hooks.list()
  if (rows.length === 0) return
  const made = hooksMadeBy(clientId, audit)
  if (made === undefined) return out.warn('the audit log cannot be read: hooks that the client made are not listed')
  const own = rows.filter(({ id }) => made.has(id))
  if (own.length === 0) return
  const count = own.length === 1 ? '1 hook' : `${own.length} hooks`
  const more = own.length > MOST_HOOKS ? [`and ${own.length - MOST_HOOKS} more: \`hook list\``] : []
  const lines = own.slice(0, MOST_HOOKS).map(({ id, name, command, paused }) => {
    const state = paused === undefined ? '' : ', paused'
    return `  ${printable(name, 40)}${state}: ${printable(command, 80)} (\`hook pause ${id.slice(0, MIN_PREFIX_LENGTH)}\`)`
  })
  out.warn([`the client made ${count}, which no grant limits:`, ...lines, ...more].join('\n'))
}

/** By the audit log: a page only makes a hook of another stricter. @returns their ids; undefined: the log cannot be read */
function hooksMadeBy(clientId: string, audit: AuditPort): ReadonlySet<unknown> | undefined {
  try {
    const own = audit.read().filter(({ what, by }) => what === 'hook create' && by?.clientId === clientId)
    return new Set(own.map(({ details }) => details?.hookId))
  } catch (error) {
    if (error instanceof StoreError) return undefined
    throw error
  }
}

function takeOptions(args: readonly Argument[]) {
  let rest = args
  const options = new Map<(typeof GRANT_OPTIONS)[number], string>()
  for (const name of GRANT_OPTIONS) {
    const taken = takeOption(rest, name, `the value of ${name}`)
    rest = taken.rest
    if (taken.value !== undefined) options.set(name, taken.value)
  }
  return { rest, options }
}

function rowsNamed(rows: readonly TrustedClient[], prefix: string): readonly TrustedClient[] {
  const { clientId } = findByIdPrefix([...new Map(rows.map((row) => [row.clientId, row])).values()], {
    prefix,
    idOf: (row) => row.clientId,
    noun: 'client',
  })
  return rows.filter((row) => row.clientId === clientId)
}

/** @throws {CommandError} `bad-argument` @throws {LanguageError} `bad-duration` */
function readGrant(
  may: GrantLevel,
  options: ReturnType<typeof takeOptions>['options'],
  { before, now }: { readonly before: Grant | undefined; readonly now: number },
): Grant {
  const given = <T>(name: (typeof GRANT_OPTIONS)[number], kept: T | undefined, read: (text: string) => T) => {
    const text = options.get(name)
    if (text === undefined) return kept
    return text === 'off' ? undefined : read(text)
  }
  const isOver = before === undefined || heldNow(before, now).hasEnded
  const until = options.get('--until')
  const endsAt = until === undefined ? (isOver ? now + GRANT_MS : before.until) : now + parseLongDuration(until, 1)
  return {
    may,
    ...defined({
      perOrder: given('--per-order', before?.perOrder, readDollars),
      perDay: given('--per-day', before?.perDay, readDollars),
      accounts: given('--accounts', before?.accounts, (text) => readNames(text)),
      symbols: given('--symbols', before?.symbols, (text) => readNames(text.toUpperCase())),
      proposalsPerHour: given('--proposals', before?.proposalsPerHour, readPerHour),
    }),
    grantedAt: now,
    until: endsAt,
  }
}

function readDollars(text: string): string {
  const bare = text.replace(/^\$/, '').replaceAll(/,(?=\d{3}(?:\D|$))/g, '')
  if (/^\d{1,15}(?:\.\d{1,8})?$/.test(bare)) return bare
  throw badGrant(`${printable(text, 40)} is not an amount of dollars`, 'type an amount such as $100, or off')
}

function readNames(text: string): string[] {
  const names = [...new Set(text.split(','))]
  const isRight =
    names.length <= MOST_NAMED && names.every((each) => each !== '' && each.length <= WIRE_LIMITS.nameLength)
  if (isRight) return names
  throw badGrant(`${printable(text, 60)} is not a list of names`, `type 1 to ${MOST_NAMED} names with commas, or off`)
}

function readPerHour(text: string): number {
  const count = /^(\d{1,3})\/h$/.exec(text)?.[1]
  if (count !== undefined) return Number(count)
  throw badGrant(`${printable(text, 40)} is not a number of proposals an hour`, 'type a number such as 20/h, or off')
}

function badGrant(message: string, hint: string): CommandError {
  return new CommandError('bad-argument', message, { hint })
}

/** @throws {CommandError} `needs-person`, `canceled` */
async function askWider({ confirm }: CommandContext, next: Grant): Promise<void> {
  const text = `the client then may ${describeGrant(next)}, which is more than now`
  if (confirm === undefined)
    throw new CommandError('needs-person', text, { hint: 'type it at the prompt of hookline, which asks' })
  if (!(await confirm(`${text}; y or n >`))) throw new CommandError('canceled', 'canceled: the grant stays as it was')
}

/** `trade: $100 an order, $300 a day (UTC), accounts a, b, until 2026-12-05 09:00 UTC`. */
function describeGrant(grant: Grant): string {
  return describeTerms(grant, grant.ended === true ? 'ended' : `until ${showMoment(grant.until)}`)
}

/** `propose: $100.00 an order, accounts a, for 7d`. The names are those of a stranger. */
export function describeAsked(asked: AskedGrant): string {
  const { forMs = GRANT_MS } = asked
  return describeTerms(asked, `for ${forMs % DAY_MS === 0 ? `${forMs / DAY_MS}d` : showDuration(forMs)}`)
}

function describeTerms(
  { may, perOrder, perDay, accounts, symbols, proposalsPerHour }: Omit<AskedGrant, 'forMs'>,
  end: string,
): string {
  const limits = [
    ...(perOrder === undefined ? [] : [`${showMoney(perOrder)} an order`]),
    ...(perDay === undefined ? [] : [`${showMoney(perDay)} a day (UTC)`]),
    ...(accounts === undefined ? [] : [`accounts ${printable(accounts.join(', '), 60)}`]),
    ...(symbols === undefined ? [] : [`symbols ${printable(symbols.join(', '), 60)}`]),
    ...(proposalsPerHour === undefined ? [] : [`${proposalsPerHour} proposals an hour`]),
    end,
  ]
  return `${may}: ${limits.join(', ')}`
}

export const clients: CommandFamily = {
  name: 'clients',
  aliases: ['client'],
  group: 'listener',
  summary: 'pages and programs you approved: list, grant, revoke, trust',
  bare: 'list',
  forms: [list, grant, revoke, trust],
}

export const approve = verdict('approve', 'approved', {
  usage: '<id | prefix> [look | propose | trade]\n<id of a proposal>',
  summary: 'let a waiting client in, now and from now on; run what a client proposes',
  examples: [
    { line: 'approve 3f9c2a71', meaning: 'at least 8 characters of its id; fewer do when it is the only one waiting' },
    {
      line: 'approve 3f9c2a71 propose',
      meaning: 'with a grant; without one, that client can only look',
    },
  ],
})

export const deny = verdict('deny', 'denied', {
  usage: '<id | prefix>\n<id of a proposal>\n--all [for 1h]',
  summary: 'deny a waiting client, which may ask again later; deny what a client proposes',
  examples: [
    { line: 'deny 3f9c2a71', meaning: 'it may ask again later' },
    { line: 'deny --all for 1h', meaning: 'every proposal that is open, and all that come within the hour' },
  ],
})

function verdict(
  name: string,
  decision: 'approved' | 'denied',
  row: Pick<SingleCommand, 'usage' | 'summary' | 'examples'>,
): SingleCommand<'clients' | 'proposals'> {
  return {
    name,
    group: 'listener',
    ...row,
    where: 'trusted',
    ...(decision === 'denied' ? { underPanic: true } : {}),
    ...(decision === 'approved' ? { complete: ({ words }) => (words.length === 1 ? GRANT_LEVELS : []) } : {}),
    async run(context, args) {
      const prefix = requireText(args, 0, ID)
      if (isOfProposals(context, prefix)) {
        if (decision === 'denied') return denyProposals(context, args)
        refuseMoreThan(1, args)
        return approveProposal(context, prefix)
      }
      const level = args[1]
      const may =
        decision === 'approved' && level?.kind === 'word'
          ? GRANT_LEVELS.find((each) => each === level.text.toLowerCase())
          : undefined
      refuseMoreThan(may === undefined ? 1 : 2, args)
      const waiting = requireClients(context)
      const client = findWaiting(waiting.pending(), prefix)
      if (!(await waiting.decide(client.clientId, decision, may)))
        throw notWaiting(`${describeClient(client)} is no longer waiting`)
      const granted = decision === 'approved' ? (may ?? (client.asks && 'look')) : undefined
      context.out.success(`${decision} ${describeClient(client)}${granted === undefined ? '' : `: it may ${granted}`}`)
      await context.audit(`client ${name}`, { ...auditedClient(client), ...defined({ may: granted }) })
    },
  }
}

/** A client chooses its id: one that calls itself as a proposal is called is taken for neither. @throws {CommandError} `ambiguous` */
function isOfProposals({ ports }: CommandContext<'clients'>, id: string): boolean {
  if (id === '--all') return true
  if (!PROPOSAL_ID.test(id)) return false
  if (ports.clients?.pending().some(({ clientId }) => clientId.startsWith(id)) !== true) return true
  throw new CommandError('ambiguous', `a waiting client and a proposal both have the id ${printable(id, 40)}`, {
    hint: 'answer its question with n first',
  })
}

function auditedClient({ clientId, label, origin }: PendingClient): Readonly<Record<string, unknown>> {
  return { clientId, label, origin }
}

function requireClients({ ports }: Pick<CommandContext<'clients'>, 'ports'>): Clients {
  if (ports.clients !== undefined) return ports.clients
  throw new CommandError('no-listener', 'no client can wait here: this process has no listener', {
    hint: '`clients trust <clientId>` approves one before it asks',
  })
}

/** An id is always required: other clients may be waiting since the operator looked. */
function findWaiting(pending: readonly PendingClient[], prefix: string): PendingClient {
  const [first, ...others] = pending
  if (first === undefined) throw notWaiting('no client is awaiting approval')
  const isOnly = others.length === 0 && prefix !== '' && first.clientId.startsWith(prefix)
  const client = isOnly
    ? first
    : findByIdPrefix(pending, { prefix, idOf: (row) => row.clientId, noun: 'waiting client' })
  const namesakes = pending.filter((row) => row.clientId === client.clientId)
  if (namesakes.length === 1) return client
  throw new CommandError(
    'ambiguous',
    `${namesakes.length} clients wait under this id, from different origins or with different keys`,
    {
      hint: 'answer the question itself with y or n',
    },
  )
}

function notWaiting(message: string): CommandError {
  return new CommandError('not-waiting', message, { hint: '`clients` lists who is waiting' })
}

function renderTrusted(rows: readonly TrustedClient[], connected: ReadonlyMap<string, number> | undefined): string {
  const sessions = ({ clientId }: PendingClient) => (connected ? [String(connected.get(clientId) ?? '')] : [])
  const columns = titled(
    'client id',
    'label',
    'origin',
    'proof',
    `approved (${shownZone()})`,
    ...(isGranted(rows) ? ['grant'] : []),
    ...(connected ? ['connected'] : []),
  )
  const grants = ({ grant }: Pick<TrustedClient, 'grant'>) => (isGranted(rows) ? [grantCell(grant)] : [])
  const cells = rows.map((row) => [
    ...nameCells(row),
    proofCell(row),
    showZonedTime(row.approvedAt),
    ...grants(row),
    ...sessions(row),
  ])
  return renderTable(columns, cells)
}

function isGranted(rows: readonly Pick<TrustedClient, 'grant'>[]): boolean {
  return rows.some((row) => row.grant !== undefined)
}

function grantCell(grant: Grant | undefined): string {
  return grant === undefined ? '' : describeGrant(grant)
}

function describeData(
  rows: readonly TrustedClient[],
  pending: readonly PendingClient[],
  connected: ReadonlyMap<string, number> | undefined,
): CommandData {
  const name = ({ clientId, label, origin }: PendingClient) => ({ clientId, label, origin })
  const clients = rows.map((row) => ({
    ...name(row),
    approvedAt: row.approvedAt,
    ...defined({ grant: row.grant }),
    ...(connected ? { connected: connected.get(row.clientId) ?? 0 } : {}),
  }))
  return { type: 'clients', clients, pending: pending.map(name) }
}

function titled(...titles: readonly string[]): { readonly title: string }[] {
  return titles.map((title) => ({ title }))
}

function nameCells({ clientId, label, origin }: PendingClient): string[] {
  return [printable(clientId, WIRE_LIMITS.clientIdLength), printable(label, 40), printable(origin, 60)]
}

function proofCell({ key }: PendingClient): string {
  return key === undefined ? 'cannot prove itself' : keyTail(key)
}

/** `client 3f9c2a71-… (Console) on http://127.0.0.1:53220`: the whole id, for it is what counts. */
function describeClient(client: PendingClient): string {
  const [clientId, label, origin] = nameCells(client)
  return `client ${clientId}${label === '' ? '' : ` (${label})`} on ${origin}`
}

/** @throws {CommandError} `no-origin`: the list is empty or mistyped */
function firstAllowed({ allowed, mistyped }: OriginPolicy): string {
  const [first] = allowed
  if (first !== undefined) return first
  const why = mistyped.length > 0 ? ` (${printable(mistyped.join(', '), 80)} is not an origin)` : ''
  throw new CommandError('no-origin', `listener.allowedOrigins in config.json allows no origin${why}`, {
    hint: 'fix it, or give --origin <origin>',
  })
}

function requireOrigin(text: string): string {
  const origin = parseOrigin(text)
  if (origin !== undefined) return origin
  throw new CommandError('bad-origin', `${printable(text, 80)} is not an origin`, {
    hint: 'write scheme, host and port, nothing after it: http://localhost:53220',
  })
}
