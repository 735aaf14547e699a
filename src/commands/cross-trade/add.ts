// `cross-trade add` and `cross-trade copier`: who copies whom. What could never be traded is refused here, in words.
import { randomUUID } from 'node:crypto'
import { defined } from '../../base/defined.ts'
import type { Argument } from '../../language/chain.ts'
import { LanguageError } from '../../language/language-error.ts'
import { printable, shown } from '../../language/printable.ts'
import { MAX_COPIERS } from '../../protocol/rows.ts'
import type { CrossTradeConfig, CrossTradeCopier } from '../../stores/cross-trade.ts'
import type { CommandContext, CommandForm, CompletionContext } from '../kit/command.ts'
import { CommandError } from '../kit/errors.ts'
import { requireText, takeFlag, takeOption } from '../kit/read-arguments.ts'
import { COPIER_OPTIONS, readWeight, refuseRest, requireKnown, takeCopier, takeSymbol } from './read-copier.ts'
import {
  auditedRow,
  describeCopier,
  describeRow,
  requireRow,
  requireTradable,
  rowData,
  shortId,
  warnIfStopped,
  warnOfWaiting,
} from './row-words.ts'

type Need = 'crossTrade' | 'accounts' | 'crossTradeEngine'

const ADD_OPTIONS = [
  '--master',
  '--copier',
  '--symbol',
  '--copier-symbol',
  ...COPIER_OPTIONS,
  '--master-weight',
  '--sync',
  '--enabled',
]

export const add: CommandForm<Need> = {
  name: 'add',
  usage:
    '--master <account> --copier <account> [--symbol S] [--copier-symbol S] [--weight 0.5] [--master-weight 1] [--mode Market|LimitSlippage|Chase] [--slippage 0.2%] [--sync] [--enabled]',
  summary: 'add a row that copies one account to another; off until it is enabled',
  where: 'trusted',
  examples: [
    {
      line: 'cross-trade add --master paper --copier swing --weight 0.5',
      meaning: 'swing trades half of what paper does',
    },
    {
      line: 'cross-trade add --master paper --symbol BTCUSDT --copier swing --weight -1 --enabled',
      meaning: 'the other way, on one symbol, at once',
    },
    {
      line: 'cross-trade add --master paper --copier swing --mode LimitSlippage --slippage 0.2% --sync',
      meaning: 'with limits at most 0.2 % off, and what paper holds already is copied too',
    },
  ],
  complete: (completion) => completeOptions(completion, ADD_OPTIONS),
  async run(context, args) {
    const { row, isEnabled } = readRow(context, args)
    requireTradable(row, context.ports)
    const { row: stored } = await context.ports.crossTrade.merge(row, { approved: true })
    context.out.success(`added ${describeRow(stored)}${isEnabled ? ', enabled' : ''}`, {
      type: 'cross-trade-row',
      done: 'added',
      row: rowData(stored),
    })
    await context.audit('cross-trade add', { ...auditedRow(stored), enabled: isEnabled })
    if (isEnabled) return warnIfStopped(context)
    context.out.info(`it is off: \`cross-trade enable ${shortId(stored.id)}\` turns it on`)
  },
}

function readRow(
  context: CommandContext<Need>,
  args: readonly Argument[],
): { readonly row: CrossTradeConfig; readonly isEnabled: boolean } {
  const { rest: withCopier, value: master } = takeOption(args, '--master', "the master's account")
  const { rest: withSymbol, value: account } = takeOption(withCopier, '--copier', "the copier's account")
  const { rest: withCopierSymbol, symbol: masterSymbol } = takeSymbol(withSymbol, '--symbol')
  const { rest: withWeight, symbol } = takeSymbol(withCopierSymbol, '--copier-symbol')
  const { rest: withOptions, value: masterWeight } = takeOption(withWeight, '--master-weight', "the master's weight")
  const { rest: withSync, options } = takeCopier(withOptions)
  const { rest: withEnabled, given: sync } = takeFlag(withSync, '--sync')
  const { rest, given: isEnabled } = takeFlag(withEnabled, '--enabled')
  refuseRest(rest, 0)
  if (master === undefined || account === undefined) {
    throw new CommandError(
      'missing-argument',
      `\`--${master === undefined ? 'master' : 'copier'} <account>\` is missing`,
      {
        hint: 'type `cross-trade add --master <account> --copier <account>`',
      },
    )
  }
  const { ports, clock } = context
  const copier: CrossTradeCopier = { account: requireKnown(ports, account), ...options, ...defined({ symbol }) }
  const row = {
    id: randomUUID(),
    enabled: isEnabled,
    masterAccount: requireKnown(ports, master),
    ...defined({ masterSymbol }),
    masterWeight: readWeight(masterWeight, '--master-weight'),
    copiers: [copier],
    updatedAt: clock.now(),
    ...(sync ? { sync } : {}),
    ...(isEnabled ? { enabledAt: clock.now() } : {}),
  }
  return { row, isEnabled }
}

export const copier: CommandForm<Need> = {
  name: 'copier',
  usage: [
    'add <id> <account> [--symbol S] [--weight 0.5] [--mode Market|LimitSlippage|Chase] [--slippage 0.2%]',
    'remove <id> <account> [--symbol S]',
  ].join('\n'),
  summary: 'add a copier to a row, or remove one',
  where: 'trusted',
  examples: [
    { line: 'cross-trade copier add 3f9c2a71 swing --weight 2', meaning: 'swing copies too, twice as large' },
    { line: 'cross-trade copier remove 3f9c2a71 swing', meaning: 'swing stops copying; it keeps its positions' },
  ],
  complete(completion) {
    const [verb, , ...typed] = completion.words
    if (verb === undefined) return ['add', 'remove']
    if (completion.words.length === 1) return completion.crossTradeRows ?? []
    if (typed.length === 0) return completion.accounts
    return verb === 'add' ? completeOptions(completion, ['--symbol', ...COPIER_OPTIONS]) : ['--symbol']
  },
  async run(context, args) {
    const verb = requireText(args, 0, '`add` or `remove`').toLowerCase()
    if (verb === 'add') return addCopier(context, args.slice(1))
    if (verb === 'remove') return removeCopier(context, args.slice(1))
    throw new LanguageError('bad-argument', `${shown(verb)} is neither \`add\` nor \`remove\``, args[0]?.column ?? 1)
  },
}

async function addCopier(context: CommandContext<Need>, args: readonly Argument[]): Promise<void> {
  const { rest: withOptions, symbol } = takeSymbol(args, '--symbol')
  const { rest, options } = takeCopier(withOptions)
  refuseRest(rest, 2)
  const row = requireRow(context.ports.crossTrade.list(), rest)
  const account = requireKnown(context.ports, requireText(rest, 1, "the copier's account"))
  if (row.copiers.length >= MAX_COPIERS) {
    throw new CommandError('too-many', `row ${shortId(row.id)} has ${MAX_COPIERS} copiers already`, {
      hint: 'add another row with the same master',
    })
  }
  const added = { account, ...defined({ symbol }), ...options }
  const changed = { ...row, copiers: [...row.copiers, added] }
  requireTradable(changed, context.ports)
  // What a page has changed of the row meanwhile is not approved along with the copier.
  const waits = context.ports.crossTrade.waiting().has(row.id)
  await save(context, changed, !waits)
  context.out.success(`added copier ${describeCopier(added)} to row ${shortId(row.id)}`, {
    type: 'cross-trade-row',
    done: 'changed',
    row: rowData(changed),
  })
  await context.audit('cross-trade copier add', { rowId: row.id, copier: describeCopier(added) })
  warnOfWaiting(context, changed)
}

async function removeCopier(context: CommandContext<Need>, args: readonly Argument[]): Promise<void> {
  const { rest, symbol } = takeSymbol(args, '--symbol')
  refuseRest(rest, 2)
  const row = requireRow(context.ports.crossTrade.list(), rest)
  const account = requireText(rest, 1, "the copier's account")
  const isMeant = (each: CrossTradeCopier) =>
    each.account === account && (symbol === undefined || each.symbol === symbol)
  const copiers = row.copiers.filter((each) => !isMeant(each))
  if (copiers.length === row.copiers.length) {
    throw new CommandError('unknown-copier', `row ${shortId(row.id)} has no copier ${printable(account, 40)}`, {
      hint: `\`cross-trade show ${shortId(row.id)}\` lists them`,
    })
  }
  if (copiers.length === 0) {
    throw new CommandError('last-copier', `${printable(account, 40)} is the only copier of row ${shortId(row.id)}`, {
      hint: `\`cross-trade remove ${shortId(row.id)}\` removes the row`,
    })
  }
  const changed = { ...row, copiers }
  await save(context, changed, false)
  context.out.success(`removed copier ${printable(account, 40)} from row ${shortId(row.id)}; it keeps its positions`, {
    type: 'cross-trade-row',
    done: 'changed',
    row: rowData(changed),
  })
  await context.audit('cross-trade copier remove', { rowId: row.id, copier: account })
}

/** An edit made now, which wins. */
async function save(
  { ports }: CommandContext<Need>,
  { updatedAt, ...row }: CrossTradeConfig,
  approved: boolean,
): Promise<void> {
  await ports.crossTrade.merge(row, { approved })
}

function completeOptions(
  { words, accounts, symbols }: CompletionContext,
  options: readonly string[],
): readonly string[] {
  const last = words.at(-1)
  if (last === '--master' || last === '--copier') return accounts
  if (last === '--symbol' || last === '--copier-symbol') return symbols
  if (last === '--mode') return ['Market', 'LimitSlippage', 'Chase']
  return options.filter((option) => !words.includes(option))
}
