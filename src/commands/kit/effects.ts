// What each command does, for clients that have a grant (behaviour 145): the grant names the effects that its client may have.
import type { Argument, Chain } from '../../language/chain.ts'
import { callsIn, expandAlias } from '../../language/expansion.ts'
import { LanguageError } from '../../language/language-error.ts'
import { parsePosition } from '../../language/order.ts'
import type { RunRequest } from '../../runs/run.ts'
import type { Grant, HeldGrant } from '../../stores/client-grants.ts'
import type { TrustedClientStore } from '../../stores/trusted-clients.ts'
import { type AnyForm, mayRun } from './command.ts'
import { CommandError } from './errors.ts'
import type { CommandLookup } from './resolve.ts'

/**
 * `looks`: changes nothing. `adds`: may order what adds to a position; the guard has each order. `reduces`: cancels, closes or reduces on the
 * account of its run. `stops`: ends what trades, and orders nothing. `changes`: what outlives its run, or belongs to the operator.
 */
type Effect = 'looks' | 'adds' | 'reduces' | 'stops' | 'changes'

/** By path. A command that is not here `changes`. */
const EFFECTS: Readonly<Record<string, Effect>> = {
  buy: 'adds',
  sell: 'adds',
  scale: 'adds',
  swarm: 'adds',
  stop: 'adds',
  take: 'adds',
  position: 'adds',
  flip: 'adds',
  amend: 'adds',
  move: 'adds',
  bump: 'adds',
  chase: 'adds',
  twap: 'adds',
  dca: 'adds',
  grid: 'adds',
  trail: 'adds',
  oco: 'adds',
  close: 'reduces',
  cancel: 'reduces',
  nuke: 'reduces',
  'tasks cancel': 'stops',
  'tasks pause': 'stops',
  kill: 'stops',
  'runs stop': 'stops',
  panic: 'stops',
  halt: 'stops',
  exit: 'stops',
  'switch off': 'stops',
  'hook pause': 'stops',
  'cross-trade disable': 'stops',
  'cross-trade stop': 'stops',
  markets: 'looks',
  price: 'looks',
  book: 'looks',
  balance: 'looks',
  positions: 'looks',
  orders: 'looks',
  fills: 'looks',
  trades: 'looks',
  pnl: 'looks',
  session: 'looks',
  export: 'looks',
  'account list': 'looks',
  exchanges: 'looks',
  sleep: 'looks',
  wait: 'looks',
  echo: 'looks',
  repeat: 'looks',
  'tasks list': 'looks',
  'tasks show': 'looks',
  'hook list': 'looks',
  'hook show': 'looks',
  'hook test': 'looks',
  'hook logs': 'looks',
  'cross-trade list': 'looks',
  'cross-trade show': 'looks',
  'cross-trade status': 'looks',
  listener: 'looks',
  'switch list': 'looks',
  status: 'looks',
  help: 'looks',
  'runs list': 'looks',
  'runs show': 'looks',
  'guards list': 'looks',
  history: 'looks',
}

/** Without arguments these show what there is. */
const LOOKS_WHEN_BARE: ReadonlySet<string> = new Set(['symbol', 'set', 'alias'])
/** Orders on other accounts, too: words of `nuke` and `halt`. */
const REACHES_FURTHER: ReadonlySet<string> = new Set(['--everywhere', '--flatten'])

export function effectOf(path: string, args: readonly Argument[]): Effect {
  if (args.length === 0 && LOOKS_WHEN_BARE.has(path)) return 'looks'
  if (path === 'position' && isFlat(args)) return 'reduces'
  return EFFECTS[path] ?? 'changes'
}

/** Whether a line cancels, closes or stops, and can do nothing else. What cannot be read does more. */
export function onlyReduces(
  chain: Chain,
  known: { readonly lookup: CommandLookup; readonly aliases: Readonly<Record<string, string>> },
): boolean {
  const effects = effectsIn(chain, known)
  return effects.some((effect) => effect === 'reduces') && effects.every((effect) => EXITS.has(effect))
}

const EXITS: ReadonlySet<Effect> = new Set<Effect>(['reduces', 'stops', 'looks'])

function effectsIn(chain: Chain, known: Parameters<typeof onlyReduces>[1]): readonly Effect[] {
  return callsIn(chain).flatMap((call) => {
    const alias = known.lookup.find(call.name) ? undefined : expandAlias(call, known.aliases)
    if (alias !== undefined) return effectsIn(alias, known)
    const { path, args } = known.lookup.resolve(call)
    return [effectOf(path, args)]
  })
}

function isFlat(args: readonly Argument[]): boolean {
  try {
    return parsePosition(args).target === 'flat'
  } catch (error) {
    // The command refuses it in its own words.
    if (error instanceof LanguageError) return false
    throw error
  }
}

interface Asked {
  readonly path: string
  readonly args: readonly Argument[]
  /** It is only worked out. */
  readonly isDry: boolean
  readonly account: string
}

/** What a person has approved of a client that may propose runs within the same limits. */
export function asApproved(grant: HeldGrant): HeldGrant {
  return grant.may === 'propose' ? { ...grant, may: 'trade' } : grant
}

interface Decider {
  readonly clientId: string
  /** It is a page of the console that hookline gave out. */
  readonly isServed: boolean
}

/**
 * Who may approve or deny a proposal by the wire: the console, where a person approved it and narrowed it to nothing less, and a client that could
 * run any line itself. Neither gains anything by it.
 * @param grant of the decider; undefined: it has none
 * @throws {CommandError} `not-granted`
 */
export function requireMayDecide(by: Decider, grant: HeldGrant | undefined, proposer: string): void {
  if (by.clientId === proposer) {
    throw new CommandError('not-granted', 'a client cannot approve or deny its own proposal', {
      hint: '`withdraw` takes it back; the operator decides',
    })
  }
  if (grant === undefined ? by.isServed : isWithoutLimits(grant)) return
  const message = 'only the console, or a client with the grant `trade` without limits, approves or denies a proposal'
  throw new CommandError('not-granted', message, {
    hint: 'ask the operator, who decides at the prompt or on the console',
  })
}

/** @throws {CommandError} `not-granted` */
export function requireConsole(by: Pick<Decider, 'isServed'>, grant: HeldGrant | undefined): void {
  if (by.isServed && grant === undefined) return
  throw new CommandError('not-granted', 'only the console sees the clients', {
    hint: 'type `clients` in the terminal',
  })
}

function isWithoutLimits({ may, perOrder, perDay, accounts, symbols }: HeldGrant): boolean {
  return may === 'trade' && [perOrder, perDay, accounts, symbols].every((limit) => limit === undefined)
}

/** Whether a client sees the proposals of others. */
export function seesAllProposals(grant: HeldGrant | undefined): boolean {
  return grant === undefined || grant.may === 'trade'
}

/** As of now, for one run; undefined: its client has no grant. */
export function grantOfRun(
  { clientId, pageOrigin, proposal }: Pick<RunRequest, 'clientId' | 'pageOrigin' | 'proposal'>,
  trustedClients: Pick<TrustedClientStore, 'grantOf'>,
): HeldGrant | undefined {
  const grant = clientId === undefined ? undefined : trustedClients.grantOf(clientId, pageOrigin)
  return grant !== undefined && proposal !== undefined ? asApproved(grant) : grant
}

/** Whether the grant of the client lets a command run. @throws {CommandError} `not-granted` */
export function requireGranted(grant: HeldGrant, { path, args, isDry, account }: Asked): void {
  const effect = isDry ? 'looks' : effectOf(path, args)
  if (effect === 'looks') return
  if (effect === 'changes' || grant.may !== 'trade') throw notGranted(`\`${path}\``, grant)
  if (grant.accounts === undefined) return
  if (effect !== 'stops' && !grant.accounts.includes(account)) {
    throw new CommandError('not-granted', `the grant of this client does not name account ${account}`, { hint: HINT })
  }
  if (args.some((each) => each.kind === 'word' && REACHES_FURTHER.has(each.text.toLowerCase())) || isOfAnyTask(path)) {
    throw new CommandError(
      'not-granted',
      `\`${path}\` may reach accounts that the grant of this client does not name`,
      {
        hint: HINT,
      },
    )
  }
}

const HINT = '`clients grant` in the terminal changes what a client may do'

function isOfAnyTask(path: string): boolean {
  return path === 'kill' || path.startsWith('tasks ')
}

/** @param what that needs more: a command, or the name of a frame */
export function notGranted(
  what: string,
  { hasEnded, may }: Pick<HeldGrant, 'hasEnded'> & Pick<Grant, 'may'>,
): CommandError {
  const message = hasEnded
    ? `the grant of this client has ended, and ${what} does more than look`
    : `the grant of this client is \`${may}\`, and does not allow ${what}`
  return new CommandError('not-granted', message, { hint: HINT })
}

/** Paths of all that a page may type, for the test that holds the table to the catalogue. */
export function isForPages({ where }: Pick<AnyForm, 'where'>): boolean {
  return mayRun(where, 'web')
}
