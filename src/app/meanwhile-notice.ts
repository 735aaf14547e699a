// What a start says of an account that was not watched for a while.
import { describeOrder, fillLine } from '../commands/kit/lines.ts'
import { printable } from '../language/printable.ts'
import { showAmount, showTime } from '../trading/figures.ts'
import type { ChangedPosition, Meanwhile, SeenPosition } from '../trading/offline-changes.ts'
import type { Notice } from './notice.ts'

const SHOWN = 20

export function meanwhileNotice(account: string, { since, fills, ended, positions }: Meanwhile): Notice {
  const lines = [
    ...fills.map((trades) => `order ${printable(trades[0]?.orderId ?? '', 40)}: ${fillLine(trades)}`),
    ...ended.map((order) => `order ${printable(order.id, 40)} is ${order.status}: ${describeOrder(order)}`),
    ...positions.map(describeChange),
  ]
  const shown = lines.slice(0, SHOWN)
  const rest =
    lines.length > shown.length ? [`and ${lines.length - shown.length} more; look at \`orders\` and \`positions\``] : []
  const title = `[${printable(account, 40)}] since hookline last watched, ${showTime(since)} UTC:`
  return { kind: 'warn', text: [title, ...[...shown, ...rest].map((line) => `  ${line}`)].join('\n') }
}

function describeChange({ symbol, before, after }: ChangedPosition): string {
  const name = printable(symbol, 20)
  if (after === undefined) return `${name}: ${describe(before)} is closed`
  return before === undefined
    ? `${name}: ${describe(after)} is new`
    : `${name}: ${describe(before)} is now ${describe(after)}`
}

function describe(position: SeenPosition | undefined): string {
  return position === undefined ? 'nothing' : `${position.side} ${showAmount(position.amount)}`
}
