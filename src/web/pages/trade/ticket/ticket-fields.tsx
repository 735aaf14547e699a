// The controls of the ticket, from what is bought to what protects it: each kind of order has its own.

import { type KeyboardEvent, type ReactNode, useRef, useState } from 'react'
import { defined } from '../../../../base/defined.ts'
import type { MarketRow } from '../../../../protocol/frames.ts'
import { useRoving } from '../../../components/arrow-keys.ts'
import { Card, usePopover } from '../../../components/popover.tsx'
import { showFigure, showPrice } from '../../../figures.ts'
import { Choice, type Choices } from '../line-button.tsx'
import { stepField } from '../price-steps.ts'
import { useMarket, useTabPortfolio } from '../use-market.ts'
import { ownSizesOf, setOwnSizes, sizeText, useQuickSizes } from './quick-sizes.ts'
import {
  chooseQuickSize,
  editTicket,
  hasRisk,
  type SizeUnit,
  type SizeUsed,
  switchUnit,
  type Ticket,
  type TicketField,
  type TicketKind,
  typeSize,
  useTicket,
} from './ticket.ts'
import type { Fault } from './ticket-line.ts'

/** Of a line that the fields do not show they show nothing. */
function useShown<T extends keyof Ticket>(name: T): Ticket[T] | undefined {
  return useTicket((state) => (state.isFollowed ? state[name] : undefined))
}

export function TicketFields(facts: FieldFacts) {
  const isFollowed = useTicket((state) => state.isFollowed)
  return (
    <div className="gap-3 stack ticket-fields" inert={!isFollowed}>
      <Fields {...facts} />
    </div>
  )
}

function Fields(facts: FieldFacts) {
  const kind = useTicket((state) => state.kind)
  const shownKind = useShown('kind')
  const side = useShown('side')
  const protects = useTicket((state) => state.kind === 'stop' && state.aim === 'protect')
  const Own = OWN_FIELDS[kind]
  return (
    <>
      <Choice
        label="Kind of order"
        className="spread row segments gap-0 kinds"
        value={shownKind}
        of={KINDS}
        onChoose={(next) => editTicket({ kind: next })}
      />
      {kind === 'stop' && <Aim />}
      {!protects && (
        <Choice
          label="Side"
          className="grid sides"
          value={side}
          of={SIDES}
          onChoose={(next) => editTicket({ side: next })}
        />
      )}
      <Size {...facts} />
      <Own {...facts} />
    </>
  )
}

const KINDS: Choices<TicketKind> = [
  ['market', 'Market'],
  ['limit', 'Limit'],
  ['stop', 'Stop'],
  ['chase', 'Chase'],
  ['twap', 'TWAP'],
  ['scale', 'Scale'],
]
const SIDES: Choices<Ticket['side']> = [
  ['buy', 'Buy'],
  ['sell', 'Sell'],
]
const AIMS: Choices<Ticket['aim']> = [
  ['protect', 'Protect position'],
  ['enter', 'Enter'],
]
const RESTS: Choices<Ticket['rest']> = [
  ['cancel', 'Cancel the rest'],
  ['market', 'Market order for the rest'],
]

function Aim() {
  const aim = useShown('aim')
  return (
    <Choice
      label="What the stop is for"
      className="gap-1 row segments"
      value={aim}
      of={AIMS}
      onChoose={(next) => editTicket({ aim: next })}
    />
  )
}

function Size(facts: FieldFacts) {
  const unit = useShown('unit')
  const isOptional = useTicket((state) => state.kind === 'stop' && state.aim === 'protect')
  const canRisk = useTicket(hasRisk)
  const units: Choices<SizeUnit> = [
    ['quote', '$'],
    ['base', facts.market?.base ?? 'coin'],
    ['percent', '%'],
    ...(canRisk ? [['risk', 'Risk'] as const] : []),
  ]
  const isRisk = unit === 'risk'
  const isShare = useTicket(({ size }) => size.includes('%'))
  const whole = useTicket(wholeOf)
  const free = useTabPortfolio()?.balance.free
  const aside = isRisk ? (isShare ? 'of equity' : 'in $') : unit === 'percent' ? whole : undefined
  return (
    <div className="gap-2 grid">
      <div className="row field-row">
        <Field
          {...facts}
          field="size"
          title={isRisk ? 'Loss at the stop' : 'Size'}
          aside={aside !== undefined && <span>{aside}</span>}
          placeholder={isOptional ? 'the whole position' : isRisk ? '50, or 1 %' : undefined}
        />
        <Choice
          label="Size in"
          className="gap-1 row segments"
          value={unit}
          of={units}
          onChoose={(next) => switchUnit(next, { ...facts, free })}
        />
      </div>
      <QuickSizes />
    </div>
  )
}

/** What a percentage is of. */
function wholeOf({ reduceOnly, kind, aim }: Pick<Ticket, 'reduceOnly' | 'kind' | 'aim'>): string {
  return reduceOnly || (kind === 'stop' && aim === 'protect') ? 'of the position' : 'of free, at 1×'
}

type OwnFields = (facts: FieldFacts) => React.ReactNode

const OWN_FIELDS: Readonly<Record<TicketKind, OwnFields>> = {
  market: MarketFields,
  limit: LimitFields,
  stop: StopFields,
  chase: ChaseFields,
  twap: TwapFields,
  scale: ScaleFields,
}

function MarketFields(facts: FieldFacts) {
  return (
    <>
      <Protection {...facts} />
      <div className="row ticket-flags">
        <Flag of="reduceOnly" title="Reduce-only" />
      </div>
    </>
  )
}

function LimitFields(facts: FieldFacts) {
  return (
    <>
      <Field {...facts} field="price" title="Price" aside={<Now {...facts} />} />
      <Protection {...facts} />
      <div className="row ticket-flags">
        <Flag of="postOnly" title="Post-only" />
        <Flag of="reduceOnly" title="Reduce-only" />
      </div>
    </>
  )
}

function StopFields(facts: FieldFacts) {
  return (
    <div className="grid field-pair">
      <Field {...facts} field="trigger" title="Stop price" placeholder="such as −2 %" />
      <Field {...facts} field="limit" title="Limit" placeholder="at the market" />
    </div>
  )
}

function ChaseFields(facts: FieldFacts) {
  const rest = useShown('rest')
  return (
    <>
      <div className="grid field-pair">
        <Field {...facts} field="reach" title="Price limit" placeholder="none" />
        <Field {...facts} field="lasts" title="Duration" placeholder="1h by default" />
      </div>
      <Choice
        label="Then"
        className="gap-1 row segments"
        value={rest}
        of={RESTS}
        onChoose={(next) => editTicket({ rest: next })}
      />
      <div className="row ticket-flags">
        <Flag of="reduceOnly" title="Reduce-only" />
      </div>
    </>
  )
}

function TwapFields(facts: FieldFacts) {
  return (
    <>
      <div className="grid field-pair">
        <Field {...facts} field="slices" title="Slices" placeholder="such as 10" />
        <Field {...facts} field="lasts" title="Duration" placeholder="such as 30m" />
        <Field {...facts} field="random" title="Vary by" placeholder="none" />
        <Field {...facts} field="beyond" title="Price limit" placeholder="none" />
      </div>
      <div className="row ticket-flags">
        <Flag of="reduceOnly" title="Reduce-only" />
      </div>
    </>
  )
}

function ScaleFields(facts: FieldFacts) {
  return (
    <>
      <div className="grid field-pair">
        <Field {...facts} field="from" title="From" placeholder="such as −1 %" />
        <Field {...facts} field="to" title="To" placeholder="such as −3 %" />
        <Field {...facts} field="slices" title="Orders" placeholder="such as 5" />
        <Field {...facts} field="skew" title="Skew" placeholder="even" />
      </div>
      <div className="row ticket-flags">
        <Flag of="postOnly" title="Post-only" />
        <Flag of="reduceOnly" title="Reduce-only" />
      </div>
    </>
  )
}

function Protection(facts: FieldFacts) {
  const side = useTicket((state) => state.side)
  const isRisk = useTicket(({ unit }) => unit === 'risk')
  const [behind, ahead] = side === 'buy' ? ['−2 %', '+4 %'] : ['+2 %', '−4 %']
  const stop = `${isRisk ? 'needed' : 'none'}, such as ${behind}`
  const target = isRisk ? `none, such as 2R` : `none, such as ${ahead}`
  return (
    <div className="grid field-pair">
      <Field {...facts} field="stop" title="Stop" placeholder={stop} aside={<StopOrPercent of="stop" />} />
      <Field {...facts} field="target" title="Target" placeholder={target} aside={<StopOrPercent of="target" />} />
    </div>
  )
}

function Now({ last, market }: Pick<FieldFacts, 'last' | 'market'>) {
  if (last === undefined) return null
  return (
    <span className="muted" aria-hidden="true">
      now {showPrice(last, market?.tick ?? last)}
    </span>
  )
}

// The parts that tickets are made of: fields that arrows step, flags.

/** Facts that all fields of a ticket share. */
interface FieldFacts {
  readonly market: MarketRow | undefined
  readonly last: string | undefined
  /** Why there is no line. */
  readonly fault: Fault | undefined
}

interface FieldProps extends FieldFacts {
  readonly field: TicketField
  readonly title: string
  readonly aside?: ReactNode
  readonly placeholder?: string | undefined
}

const MANY = 10

function Field({ field, title, aside, placeholder, fault, market, last }: FieldProps) {
  const value = useShown(field) ?? ''
  const message = fault?.field === field && (value !== '' || fault.message !== undefined) ? fault.message : undefined
  const step = (event: KeyboardEvent<HTMLInputElement>) => {
    // Letters are keys of the page again.
    if (event.key === 'Escape') return event.currentTarget.blur()
    const by = { ArrowUp: 1, ArrowDown: -1 }[event.key]
    if (by === undefined || event.altKey || event.ctrlKey || event.metaKey) return
    event.preventDefault()
    const times = event.shiftKey ? by * MANY : by
    const known = defined({ last })
    editTicket({ [field]: stepField(useTicket.getState(), field, { times, market, ...known }) })
  }
  return (
    <div className="fill gap-1 text-2 grid ticket-field">
      <span className="spread row muted">
        <label htmlFor={`ticket-${field}`}>{title}</label>
        {aside}
      </span>
      <input
        className="full"
        id={`ticket-${field}`}
        type="text"
        inputMode="text"
        autoComplete="off"
        spellCheck={false}
        placeholder={placeholder}
        aria-invalid={message !== undefined}
        aria-describedby={message === undefined ? undefined : `fault-${field}`}
        value={value}
        onKeyDown={step}
        onChange={({ target }) =>
          field === 'size' ? typeSize(target.value, market?.base) : editTicket({ [field]: target.value })
        }
      />
      {message !== undefined && (
        <span id={`fault-${field}`} className="refusal">
          {message}
        </span>
      )}
    </div>
  )
}

interface FlagProps {
  readonly of: 'postOnly' | 'reduceOnly'
  readonly title: string
}

function Flag({ of, title }: FlagProps) {
  const isOn = useShown(of) ?? false
  return (
    <label className="gap-3 row">
      <input type="checkbox" checked={isOn} onChange={({ target }) => editTicket({ [of]: target.checked })} />
      {title}
    </label>
  )
}

// Sizes by one click: a person's own, shares of what is free or held among them, and the sizes that were used last.

const QUICK = 'boxed soft text-1 muted nowrap'

function QuickSizes() {
  const list = useRef<HTMLFieldSetElement>(null)
  const roving = useRoving(list, 'button')
  const { own, last } = useQuickSizes()
  const base = useMarket().view?.market?.base ?? ''
  const canRisk = useTicket(hasRisk)
  const whole = useTicket(wholeOf)
  const shown = useTicket(({ size, unit, isFollowed }) => (isFollowed ? `${size} ${unit}` : ''))
  const chip = (used: SizeUsed, name: string, title: string) => (
    <button
      key={`${used.size} ${used.unit}`}
      type="button"
      className={QUICK}
      aria-label={name}
      title={title}
      disabled={used.unit === 'risk' && !canRisk}
      aria-pressed={shown === `${used.size} ${used.unit}`}
      onClick={() => chooseQuickSize(used)}
    >
      {sizeText({ ...used, size: showFigure(used.size) }, base)}
    </button>
  )
  return (
    <div className="row">
      <fieldset className="clips gap-2 row quick-sizes" aria-label="Quick sizes" ref={list} {...roving}>
        {own.map((used, at) => {
          const name = `${sizeText(used, base)}${used.unit === 'percent' ? ` ${whole}` : ''}`
          return chip(used, name, `${name}: key ${at + 1}`)
        })}
        {last.length > 0 && <span className="text-1 muted">last</span>}
        {last.map((used) => chip(used, `${sizeText(used, base)}, used recently`, 'Used recently'))}
      </fieldset>
      <OwnSizes />
    </div>
  )
}

/** Its keys stop here: Enter keeps the sizes, and orders nothing. */
function OwnSizes() {
  const popover = usePopover()
  const { own } = useQuickSizes()
  const [text, setText] = useState<string>()
  const shown = text ?? own.map((each) => sizeText(each)).join(', ')
  const sizes = ownSizesOf(shown)
  const keep = () => {
    if (sizes === undefined) return
    setOwnSizes(sizes)
    setText(undefined)
    popover.close()
  }
  const press = (event: KeyboardEvent) => {
    event.stopPropagation()
    if (event.key !== 'Enter' || event.target instanceof HTMLButtonElement) return
    event.preventDefault()
    if (!event.repeat) keep()
  }
  return (
    <div onKeyDown={press} role="none">
      <button type="button" className="text-1 as-other" aria-label="Edit your sizes" {...popover.button}>
        edit
      </button>
      <Card popover={popover} label="Your sizes" className="card">
        <label className="gap-1 text-2 grid muted">
          Your sizes, keys 1 to 9
          <input
            className="full"
            type="text"
            autoComplete="off"
            spellCheck={false}
            value={shown}
            aria-invalid={sizes === undefined}
            onChange={({ target }) => setText(target.value)}
          />
        </label>
        <p className="text-2 muted">
          {sizes === undefined
            ? 'Each needs a unit: $250, 5 %, 0.1 coin, risk 1 %. At most nine.'
            : 'With commas, such as $250, 5 %, 0.1 coin, risk 1 %. Empty: 25, 50, 100 %.'}
        </p>
        <button type="button" className="button small" disabled={sizes === undefined} onClick={keep}>
          Save
        </button>
      </Card>
    </div>
  )
}

// Whether a stop or a target is a distance or a price: hookline computes the price of a distance.

function StopOrPercent({ of }: { readonly of: 'stop' | 'target' }) {
  const text = (useShown(of) ?? '').trim()
  const price = useTicket(({ preview }) => preview?.orders[0]?.[of === 'stop' ? 'stop' : 'takeProfit']?.triggerPrice)
  /** The distance that the price was made of. */
  const distance = useRef('')
  const isDistance = /^[+\-−]|%$/.test(text)
  const change = () => {
    if (!isDistance) return editTicket({ [of]: distance.current })
    distance.current = text
    return price === undefined ? undefined : editTicket({ [of]: price })
  }
  const title = isDistance ? 'as price' : 'as %'
  return (
    <button
      type="button"
      className="text-1 as-other"
      disabled={text === '' || (isDistance ? price === undefined : distance.current === '')}
      aria-label={`${title}: ${of}`}
      title={`Enter the ${of} ${isDistance ? 'as a price' : 'as a distance'}`}
      onClick={change}
    >
      {title}
    </button>
  )
}
