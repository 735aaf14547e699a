// What a line would do, as a table: every order after rounding, and what would keep it from being sent. All figures are hookline's own.
import type { Preview, PreviewOrder, PreviewRefusal } from '../../../protocol/preview.ts'
import { StateBadge } from '../../components/badge.tsx'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { compareFigures, showFigure, showMoney, showPrice, showSignedMoney, toneOf } from '../../figures.ts'

interface OrderLine extends PreviewOrder {
  /** From 1. */
  readonly place: number
}

const COLUMNS: readonly Column<OrderLine>[] = [
  { id: 'order', title: 'Order', isRowHead: true, cell: ({ side, type, symbol }) => `${side} ${symbol} ${type}` },
  { id: 'amount', title: 'Amount', isFigure: true, cell: Amount },
  { id: 'price', title: 'Price', isFigure: true, cell: PriceOf },
  { id: 'worth', title: 'Worth', isFigure: true, cell: ({ notional, quote }) => sum(notional, quote) },
  { id: 'fee', title: 'Fee', isFigure: true, cell: ({ fee }) => fee && `${showFee(fee.amount)} ${fee.currency}` },
  { id: 'margin', title: 'Margin', isFigure: true, cell: MarginOf },
  { id: 'ends', title: 'Stop and target', isFigure: true, cell: Ends },
  { id: 'fate', title: 'Would be', className: 'wraps', cell: Fate },
]

/** Where all would be placed, the verdict above has said so. */
const COLUMNS_OF_PLACED = COLUMNS.filter(({ id }) => id !== 'fate')

export function FireOutcome({ preview }: { readonly preview: Preview }) {
  const { account, ok, orders, blocked, errors, notes, positions } = preview
  const rows = orders.map((order, index) => ({ ...order, place: index + 1 }))
  const moves = positions.filter(({ before, after }) => before !== after)
  return (
    <div className="fire-outcome">
      <p className="fire-verdict">
        <StateBadge state={ok ? 'ok' : blocked === undefined ? 'failed' : 'skipped'} />
        {` ${verdict(preview)} on ${account}`}
      </p>
      {blocked && <Refusal refusal={blocked} />}
      {errors.map((error) => (
        <Refusal key={`${error.column} ${error.text}`} refusal={error} />
      ))}
      {rows.length > 0 && (
        <DataTable
          label="Orders of a fire"
          columns={rows.some(({ refused }) => refused !== undefined) ? COLUMNS : COLUMNS_OF_PLACED}
          rows={rows}
          keyOf={({ place }) => `${place}`}
        />
      )}
      <ul className="fire-rest">
        {[...othersOf(preview), ...notes].map((text) => (
          <li key={text}>{text}</li>
        ))}
        {moves.map(({ symbol, unit, before, after }) => (
          <li key={symbol}>{`Position in ${symbol}: ${showFigure(before)} → ${showFigure(after)} ${unit}`}</li>
        ))}
      </ul>
    </div>
  )
}

function verdict({ ok, blocked }: Preview): string {
  if (ok) return 'It would run now'
  return blocked === undefined ? 'It would fail now' : 'It would send nothing now'
}

function Refusal({ refusal: { text, hint } }: { readonly refusal: PreviewRefusal }) {
  return <p className="run-error">{hint === undefined ? text : `${text}; ${hint}`}</p>
}

/** What it would do besides placing orders. */
function othersOf({ cancels, changes, settings, tasks }: Preview): readonly string[] {
  return [
    ...cancels.map(({ id, symbol }) => `Cancels order ${id} of ${symbol}`),
    ...changes.map(({ id, symbol, price, triggerPrice, amount, refused }) => {
      const what = [triggerPrice ?? price, amount].flatMap((each) => (each === undefined ? [] : [showFigure(each)]))
      return `Changes order ${id} of ${symbol}: ${what.join(', ')}${refused === undefined ? '' : `; refused: ${refused.text}`}`
    }),
    ...settings.map(({ symbol, what, value }) => `Sets ${what} of ${symbol} to ${value}`),
    ...tasks.map(({ kind, text }) => `Begins ${kind}: ${text}`),
  ]
}

function Amount({ amount, unit, roundedBy }: OrderLine) {
  // Small roundings are every order's.
  const isTold = roundedBy !== undefined && compareFigures(roundedBy, '1') > 0
  return (
    <>
      {`${showFigure(amount)} ${unit}`}
      {isTold && <span className="warn-text">{` ${showMoney(roundedBy)} % under`}</span>}
    </>
  )
}

function PriceOf({ price, triggerPrice, at }: OrderLine) {
  if (triggerPrice !== undefined) return `at ${showPrice(triggerPrice)}`
  if (price !== undefined) return showPrice(price)
  return at === undefined ? 'market' : `≈ ${showPrice(at)}`
}

function MarginOf({ margin }: OrderLine) {
  return margin && `${showMoney(margin.amount)} ${margin.currency}, ${showFigure(margin.leverage)}×`
}

function Ends({ stop, takeProfit, pnl }: OrderLine) {
  const ends = [stop, takeProfit].flatMap((end) => (end === undefined ? [] : [end]))
  if (ends.length === 0) return pnl === undefined ? '' : <span className={toneOf(pnl)}>{showSignedMoney(pnl)}</span>
  return ends.map(({ triggerPrice, pnl: made, currency }) => (
    <span key={triggerPrice} className={made === undefined ? undefined : toneOf(made)}>
      {made === undefined ? `at ${showFigure(triggerPrice)}` : `${showSignedMoney(made)} ${currency ?? ''} `}
    </span>
  ))
}

function Fate({ refused }: OrderLine) {
  if (refused === undefined) return 'placed'
  return <span className="bad">{`refused: ${refused.text}`}</span>
}

function sum(amount: string | undefined, currency: string | undefined): string {
  return amount === undefined ? '' : `${showMoney(amount)} ${currency ?? ''}`
}

/** A fee below a cent is one all the same. */
function showFee(amount: string): string {
  return /[1-9]/.test(showMoney(amount)) ? showMoney(amount) : showFigure(amount)
}
