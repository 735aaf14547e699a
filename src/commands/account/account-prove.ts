// `account prove`: the contract that every venue is held to, run on a demo account of the user's own. No stand-in of ours is as good a witness
// as the venue: the report and the recording are made to be shared.
import { defined } from '../../base/defined.ts'
import { findVenue } from '../../exchanges/venues.ts'
import { limitsOf } from '../../guards/rules.ts'
import type { Argument } from '../../language/chain.ts'
import { printable, shown } from '../../language/printable.ts'
import type { AccountRow } from '../../stores/accounts.ts'
import { type Guarding, LIMITS, type LimitName } from '../../stores/guards.ts'
import type { CommandContext, CommandForm } from '../kit/command.ts'
import { CommandError } from '../kit/errors.ts'
import { takeFlag, takeOption } from '../kit/read-arguments.ts'
import { requireAccount } from './account-name.ts'
import { describeVenue, isPractice } from './account-words.ts'
import { count, describeHoldings, holdingsOf, needsYes, takeYes } from './confirmation.ts'

/** Of one length: what follows them aligns. */
const VERDICTS = { holds: 'holds', fails: 'FAILS', skipped: 'skips' } as const

type Need = 'accounts' | 'connect' | 'disconnect' | 'guards' | 'proveAccount' | 'version'

export const prove: CommandForm<Need> = {
  name: 'prove',
  usage: '<name> --demo [--symbol SYMBOL] [--only <words>] [--yes]',
  summary: "test hookline against the exchange's own demo system, with orders in play money",
  where: 'trusted',
  examples: [
    { line: 'account prove practice --demo', meaning: 'asks first; writes a report and a recording' },
    { line: 'account prove practice --demo --symbol ETHUSDT --yes', meaning: 'with this symbol, without asking' },
    { line: 'account prove practice --demo --only "a stop"', meaning: 'only the facts with these words in them' },
  ],
  complete: ({ words, accounts }) => (words.length === 0 ? accounts : ['--demo', '--symbol', '--only', '--yes']),
  async run(context, args) {
    const { row, symbol, only, isSure } = readProof(context, args)
    await requireReady(context, row, symbol, isSure)
    // Its events are the proof's own.
    await context.ports.disconnect(row.name)
    await context.audit('account prove', { name: row.name, symbol })
    const { out, ports, signal, clock } = context
    const venue = findVenue(row.exchange)
    const { facts, isWhole, left, files } = await ports.proveAccount(row, {
      symbol,
      signal,
      ...defined({ only }),
      about: {
        hookline: ports.version,
        exchange: row.exchange,
        kind: row.kind ?? venue?.kinds[0],
        demo: true,
        startedAt: new Date(clock.now()).toISOString(),
      },
      onFact({ about, what, verdict, why }, number, of) {
        const at = `${String(number).padStart(String(of).length)}/${of}`
        const line = `${at} ${VERDICTS[verdict]} ${about} ${what}`
        const text = printable(why === undefined ? line : `${line}: ${why}`, 400)
        if (verdict === 'fails') out.error(text)
        else out.print(text)
      },
    })
    if (facts.length === 0 && isWhole) {
      throw new CommandError('no-fact', `no fact has ${shown(only ?? '')} in it`, { hint: 'leave `--only` out' })
    }
    const many = (verdict: string) => facts.filter((fact) => fact.verdict === verdict).length
    const [holds, fails, skipped] = [many('holds'), many('fails'), many('skipped')]
    out.print(`${holds} hold, ${fails} fail, ${skipped} skipped\nreport     ${files[0]}\nrecording  ${files[1]}`, {
      type: 'account-proof',
      account: row.name,
      exchange: row.exchange,
      symbol,
      isWhole,
      facts,
      files,
      ...defined({ left }),
    })
    if (left !== undefined) {
      throw new CommandError('not-clean', `the proof ended early and left ${left} on account ${row.name}`, {
        hint: `type \`close ${symbol}\` and \`cancel all\` on it`,
      })
    }
    if (fails > 0) {
      throw new CommandError('not-proven', `${count(fails, 'fact')} did not hold`, {
        hint: 'share the report and the recording with an issue: keys and account names are hidden in them',
      })
    }
    if (!isWhole) throw new CommandError('canceled', 'the proof was stopped')
    out.success(`everything tried on ${describeVenue(row)} holds`)
  },
}

interface WantedProof {
  readonly row: AccountRow
  readonly symbol: string
  readonly only: string | undefined
  readonly isSure: boolean
}

function readProof(context: CommandContext<Need>, args: readonly Argument[]): WantedProof {
  const { rest: sure, isSure } = takeYes(args)
  const { rest: flagged, given } = takeFlag(sure, '--demo')
  const { rest: chosen, value = context.symbol } = takeOption(flagged, '--symbol', 'the symbol to trade')
  const { rest, value: only } = takeOption(chosen, '--only', 'what the facts are about')
  const name = requireAccount(context.ports.accounts, rest)
  const row = context.ports.accounts.find(name) as AccountRow
  if (!given) {
    throw new CommandError('not-demo', 'a proof places orders, and only on a demo account', {
      hint: `\`account prove ${name} --demo\``,
    })
  }
  if (!isPractice(row)) {
    throw new CommandError('not-demo', `account ${printable(name, 40)} holds real money`, {
      hint: '`account add <name> <exchange> --demo` adds a demo account',
    })
  }
  return { row, symbol: value.toUpperCase(), only, isSure }
}

/** What the facts order, at most. Dollars; orders for `rate`. */
const WANTED: Readonly<Partial<Record<LimitName, number>>> = {
  order: 10_000,
  position: 20_000,
  day: 250_000,
  loss: 5_000,
  rate: 120,
}

function limitsBelow(row: AccountRow, guarding: Guarding): readonly LimitName[] {
  const limits = limitsOf(guarding, row.exchange)
  return LIMITS.filter((name) => Number(limits[name] ?? Number.POSITIVE_INFINITY) < (WANTED[name] ?? 0))
}

/** @throws {CommandError} `not-flat`, `guarded`, `needs-yes` */
async function requireReady(
  context: CommandContext<Need>,
  row: AccountRow,
  symbol: string,
  isSure: boolean,
): Promise<void> {
  const { ports } = context
  const { state, simulated } = ports.guards.read(row.name)
  if (state !== 'active' || simulated) {
    const how = simulated ? 'in simulation' : state
    throw new CommandError(simulated ? 'guarded' : 'halted', `account ${printable(row.name, 40)} is ${how}`, {
      hint: simulated ? '`sim off` ends it' : '`resume` ends it',
    })
  }
  const low = limitsBelow(row, ports.guards.read(row.name))
  if (low.length > 0) {
    const lines = low.map((limit) => `\`guards set ${row.name} ${limit} off --yes\``)
    throw new CommandError(
      'guarded',
      `limits of account ${printable(row.name, 40)} prevent a proof: ${low.join(', ')}`,
      {
        hint: `${lines.join(', ')}; \`default\` instead of \`off\` brings them back`,
      },
    )
  }
  const { venue } = await ports.connect(row.name)
  const holdings = await holdingsOf(venue)
  if (holdings.positions + holdings.orders > 0) {
    throw new CommandError('not-flat', `account ${printable(row.name, 40)} has ${describeHoldings(holdings)}`, {
      hint: '`close` and `cancel all` first: a proof starts flat',
    })
  }
  if (isSure) return
  const what = `some 150 orders on ${symbol}, up to $10,000 of play money each, on ${describeVenue(row)}`
  if (context.confirm === undefined) throw needsYes(`a proof places ${what}`, `account prove ${row.name} --demo --yes`)
  if (!(await context.confirm(`place ${what}? y or n >`)))
    throw new CommandError('cancelled', 'canceled: nothing was placed')
}
