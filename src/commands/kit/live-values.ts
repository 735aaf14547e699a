// `$last`, `$bid`, `$ask`, `$entry` and `$pnl` in text, for the run's symbol. Words only: a string says what it says.
import type { Argument } from '../../language/chain.ts'
import { findLiveNames, type LiveName, replaceLive } from '../../language/expansion.ts'
import { noPosition } from '../../trading/trading-error.ts'
import type { CommandContext } from './command.ts'
import { showText } from './read-arguments.ts'

/** Whether any word holds a live value. Without one, text needs no exchange and no waiting. */
export function hasLiveNames(args: readonly Argument[]): boolean {
  return args.some((argument) => argument.kind === 'word' && findLiveNames(argument.text).length > 0)
}

/** Arguments as text, joined by single spaces. */
export function joinText(args: readonly Argument[]): string {
  return args.length === 1 && args[0] !== undefined ? showText(args[0]) : args.map(showText).join(' ')
}

/** As `joinText`, with live values of the run's symbol read from the exchange. @throws {ExchangeError} {CommandError} `no-position` */
export async function joinLiveText(context: CommandContext, args: readonly Argument[]): Promise<string> {
  const names = new Set(args.flatMap((argument) => (argument.kind === 'word' ? findLiveNames(argument.text) : [])))
  const values = await readLiveValues(context, names)
  const texts = args.map((argument) =>
    argument.kind === 'word' ? replaceLive(argument.text, values) : showText(argument),
  )
  return texts.join(' ')
}

async function readLiveValues(
  context: CommandContext,
  names: ReadonlySet<LiveName>,
): Promise<Readonly<Record<string, string>>> {
  const { venue } = await context.account()
  const values: Record<string, string> = {}
  if (names.has('last') || names.has('bid') || names.has('ask')) {
    const { last, bid, ask } = await venue.fetchTicker(context.symbol)
    Object.assign(values, { last, bid, ask })
  }
  if (names.has('entry') || names.has('pnl')) {
    const position = (await venue.fetchPositions()).find((row) => row.symbol === context.symbol)
    if (position === undefined && names.has('entry')) throw noPosition(context.symbol)
    values.pnl = position?.unrealizedPnl ?? '0'
    if (position !== undefined) values.entry = position.entryPrice
  }
  return values
}
