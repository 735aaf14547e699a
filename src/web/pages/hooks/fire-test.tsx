// A fire that is tried: what it would order, refused or not, as hookline works it out. And the real one, after a question.

import { type ReactNode, useId, useState } from 'react'
import { ClientError } from '../../../client/pending-calls.ts'
import type { AlertSlot } from '../../../language/chain.ts'
import { type SlotValues, sampleValues } from '../../../language/hook-chain.ts'
import type { HookRow } from '../../../protocol/frames.ts'
import { inOneMeasure, type Preview, type PreviewOrder, type PreviewRefusal } from '../../../protocol/preview.ts'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { useConfirm } from '../../components/dialog.tsx'
import { StateBadge } from '../../components/icon.tsx'
import { compareFigures, showFigure, showMoney, showPrice, showSignedMoney, toneOf } from '../../figures.ts'
import { FirePreview } from '../../preview/preview.tsx'
import { focusOf, runsOfHook, whyNoCommands } from '../../state/console-state.ts'
import { useConsole, useDesk } from '../../state/use-console.ts'
import { bodyOf, fireLine, slotsOf, takes, testLine } from './hook-lines.ts'
import { CopyHere, LineHere } from './run-here.tsx'

interface Outcome {
  /** The hook and the body that were tested. */
  readonly key: string
  readonly preview?: Preview
  readonly problem?: string
}

export function FireTest({ hook }: { readonly hook: HookRow }) {
  const slots = slotsOf(hook.command)
  const [values, setValues] = useState<SlotValues>(() => sampleValues(slots)[0] ?? {})
  const noCommands = useDesk(whyNoCommands)
  // Only what the command has now: it may be edited meanwhile.
  const filled = Object.fromEntries(slots.map(({ name }) => [name, values[name] ?? '']))
  const body = slots.length === 0 ? undefined : bodyOf(filled)
  const { outcome, isAsking, ask, forget } = useTest(hook, body)
  const line = testLine(hook, filled)
  return (
    <Block title="Test fire">
      <p className="muted">What a fire would do now, within its limits. Nothing is sent.</p>
      <SlotInputs slots={slots} values={filled} onChange={setValues} />
      <LineHere line={line} />
      <div className="gap-3 cluster">
        <button
          type="button"
          className="button small"
          disabled={noCommands !== undefined || isAsking}
          title={noCommands}
          onClick={() => void ask()}
        >
          Test
        </button>
        <CopyHere line={line} label="Test" />
        <FireNow hook={hook} body={body} line={fireLine(hook, filled)} onFired={forget} />
      </div>
      <div role="status" aria-label="Outcome of the test">
        {outcome?.problem !== undefined && <p className="breaks run-error">{outcome.problem}</p>}
        {outcome?.preview && <FireOutcome preview={outcome.preview} />}
      </div>
    </Block>
  )
}

interface FireNowProps {
  readonly hook: HookRow
  readonly body: string | undefined
  readonly line: string
  readonly onFired: () => void
}

function FireNow({ hook, body, line, onFired }: FireNowProps) {
  const console = useConsole()
  const confirm = useConfirm()
  const noCommands = useDesk(whyNoCommands)
  const account = useDesk((state) => hook.account ?? focusOf(state)?.account)
  const fire = async () => {
    const isSure = await confirm({
      title: `Fire ${hook.name} now?`,
      body: (
        <>
          {account !== undefined && <p>It runs on {account}.</p>}
          <FirePreview hook={hook} body={body} line={line} />
        </>
      ),
      yes: 'Fire',
      no: 'Send nothing',
      isDestructive: true,
    })
    if (!isSure) return
    onFired()
    await console.runFromPanel(line)
  }
  return (
    <button
      type="button"
      className="button small danger"
      disabled={noCommands !== undefined}
      title={noCommands}
      onClick={() => void fire()}
    >
      {account === undefined ? 'Fire now' : `Fire now on ${account}`}
    </button>
  )
}

/** An answer is shown for as long as nothing that it was asked of has changed. */
function useTest({ id, command, account, limits, paused, dry }: HookRow, body: string | undefined) {
  const { looks } = useConsole()
  const [outcome, setOutcome] = useState<Outcome>()
  const [isAsking, setAsking] = useState(false)
  const lastFire = useDesk(({ hookRuns }) => runsOfHook(hookRuns, id)[0]?.runId)
  const key = JSON.stringify([id, command, account, limits, paused, dry, body, lastFire])
  const ask = async () => {
    setAsking(true)
    const answer = await looks.testHook(id, body).then(
      (preview) => ({ preview }),
      (error: unknown) => {
        if (!(error instanceof ClientError)) throw error
        return { problem: error.message }
      },
    )
    setAsking(false)
    setOutcome({ key, ...answer })
  }
  return { outcome: outcome?.key === key ? outcome : undefined, isAsking, ask, forget: () => setOutcome(undefined) }
}

// The preview of a line as a table: every order after rounding, and the reasons for a refusal. All figures come from hookline.

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
  { id: 'realizes', title: 'Realizes', isFigure: true, cell: Realizes },
  { id: 'fate', title: 'Result', className: 'wraps', cell: Fate },
]

/** Those with something in them; where all would be placed, the verdict above has said so. */
function columnsOf(rows: readonly OrderLine[], fees = 'before fees'): readonly Column<OrderLine>[] {
  const empty = new Set([
    ...(rows.some(({ refused }) => refused !== undefined) ? [] : ['fate']),
    ...(rows.some(hasEnds) ? [] : ['ends']),
    ...(rows.some((row) => row.pnl !== undefined && !hasEnds(row)) ? [] : ['realizes']),
  ])
  return COLUMNS.filter(({ id }) => !empty.has(id)).map((column) =>
    SUMS.has(column.id) ? { ...column, title: `${column.title}, ${fees}` } : column,
  )
}

const SUMS: ReadonlySet<string> = new Set(['ends', 'realizes'])

function hasEnds({ stop, takeProfit }: PreviewOrder): boolean {
  return stop !== undefined || takeProfit !== undefined
}

export function FireOutcome({ preview }: { readonly preview: Preview }) {
  const { account, ok, orders, blocked, errors, notes, positions } = preview
  const { orders: rows, fees } = inOneMeasure(orders.map((order, index) => ({ ...order, place: index + 1 })))
  const moves = positions.filter(({ before, after }) => before !== after)
  return (
    <div className="grid fire-outcome">
      <p>
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
          columns={columnsOf(rows, fees)}
          rows={rows}
          keyOf={({ place }) => `${place}`}
        />
      )}
      <ul className="gap-1 grid muted">
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
  return <p className="breaks run-error">{hint === undefined ? text : `${text}; ${hint}`}</p>
}

/** Its effects besides orders. */
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
  const isRoundingShown = roundedBy !== undefined && compareFigures(roundedBy, '1') > 0
  return (
    <>
      {`${showFigure(amount)} ${unit}`}
      {isRoundingShown && <span className="toned warn">{` ${showMoney(roundedBy)} % less than asked`}</span>}
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

function Realizes(order: OrderLine) {
  const { pnl } = order
  return pnl === undefined || hasEnds(order) ? '' : <span className={toneOf(pnl)}>{showSignedMoney(pnl)}</span>
}

function Ends({ stop, takeProfit }: OrderLine) {
  const ends = [stop, takeProfit].flatMap((end) => (end === undefined ? [] : [end]))
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

// The values of an alert, a field for each slot.

interface SlotInputsProps {
  readonly slots: readonly AlertSlot[]
  readonly values: SlotValues
  readonly onChange: (values: SlotValues) => void
}

function SlotInputs({ slots, values, onChange }: SlotInputsProps) {
  const id = useId()
  if (slots.length === 0) return null
  return (
    <div className="grid slot-inputs">
      {slots.map((slot) => (
        <div key={slot.name} className="gap-2 text-2 grid">
          <label htmlFor={`${id}-${slot.name}`}>
            <code>{slot.name}</code>
          </label>
          <SlotInput
            id={`${id}-${slot.name}`}
            slot={slot}
            value={values[slot.name] ?? ''}
            onChange={(value) => onChange({ ...values, [slot.name]: value })}
          />
          <span className="muted" id={`${id}-${slot.name}-takes`}>
            {takes(slot)}
          </span>
        </div>
      ))}
    </div>
  )
}

interface SlotInputProps {
  readonly id: string
  readonly slot: AlertSlot
  readonly value: string
  readonly onChange: (value: string) => void
}

function SlotInput({ id, slot, value, onChange }: SlotInputProps) {
  if ('choices' in slot) {
    return (
      <select id={id} value={value} onChange={(event) => onChange(event.target.value)}>
        {slot.choices.map((choice) => (
          <option key={choice}>{choice}</option>
        ))}
      </select>
    )
  }
  return (
    <input
      id={id}
      aria-describedby={`${id}-takes`}
      value={value}
      inputMode="decimal"
      spellCheck={false}
      autoComplete="off"
      onChange={(event) => onChange(event.target.value)}
    />
  )
}

/** A part of a hook's page: its heading, what may be done there, its content. */
export function Block({
  title,
  action,
  children,
}: {
  readonly title: string
  readonly action?: ReactNode
  readonly children: ReactNode
}) {
  return (
    <section className="gap-3 grid hook-block" aria-label={title}>
      <div className="spread row">
        <h4>{title}</h4>
        {action}
      </div>
      {children}
    </section>
  )
}
