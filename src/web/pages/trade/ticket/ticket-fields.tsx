// The controls of the ticket, from what is bought to what protects it: each kind of order has its own.
import { showPrice } from '../../../figures.ts'
import { Choice, type Choices } from '../choice.tsx'
import { QuickSizes } from './quick-sizes.tsx'
import { StopOrPercent } from './stop-or-percent.tsx'
import type { SizeUnit, Ticket, TicketKind } from './ticket.ts'
import { Field, type FieldFacts, Flag } from './ticket-inputs.tsx'
import { editTicket, useTicket } from './ticket-store.ts'

export function TicketFields(facts: FieldFacts) {
  const kind = useTicket((state) => state.kind)
  const side = useTicket((state) => state.side)
  const protects = useTicket((state) => state.kind === 'stop' && state.aim === 'protect')
  const Own = OWN_FIELDS[kind]
  return (
    <>
      <Choice
        label="Kind of order"
        className="segments kinds"
        value={kind}
        of={KINDS}
        onChoose={(next) => editTicket({ kind: next })}
      />
      {kind === 'stop' && <Aim />}
      {!protects && (
        <Choice
          label="Side"
          className="sides"
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
  ['protect', 'Protect what is held'],
  ['enter', 'Enter'],
]
const RESTS: Choices<Ticket['rest']> = [
  ['cancel', 'Cancel the rest'],
  ['market', 'Rest at the market'],
]

function Aim() {
  const aim = useTicket((state) => state.aim)
  return (
    <Choice
      label="What the stop is for"
      className="segments"
      value={aim}
      of={AIMS}
      onChoose={(next) => editTicket({ aim: next })}
    />
  )
}

function Size(facts: FieldFacts) {
  const unit = useTicket((state) => state.unit)
  const isOptional = useTicket((state) => state.kind === 'stop' && state.aim === 'protect')
  const units: Choices<SizeUnit> = [
    ['quote', '$'],
    ['base', facts.market?.base ?? 'coin'],
    ['percent', '%'],
  ]
  return (
    <div className="size-field">
      <div className="field-row">
        <Field {...facts} field="size" title="Size" placeholder={isOptional ? 'all of it' : undefined} />
        <Choice
          label="Size in"
          className="segments"
          value={unit}
          of={units}
          onChoose={(next) => editTicket({ unit: next })}
        />
      </div>
      <QuickSizes />
    </div>
  )
}

type Fields = (facts: FieldFacts) => React.ReactNode

const OWN_FIELDS: Readonly<Record<TicketKind, Fields>> = {
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
      <div className="ticket-flags">
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
      <div className="ticket-flags">
        <Flag of="postOnly" title="Post-only" />
        <Flag of="reduceOnly" title="Reduce-only" />
      </div>
    </>
  )
}

function StopFields(facts: FieldFacts) {
  return (
    <div className="field-pair">
      <Field {...facts} field="trigger" title="Stop price" placeholder="−2 %" />
      <Field {...facts} field="limit" title="Limit" placeholder="at the market" />
    </div>
  )
}

function ChaseFields(facts: FieldFacts) {
  const rest = useTicket((state) => state.rest)
  return (
    <>
      <div className="field-pair">
        <Field {...facts} field="reach" title="Goes up to" placeholder="no end" />
        <Field {...facts} field="lasts" title="For" placeholder="1h" />
      </div>
      <Choice
        label="Then"
        className="segments"
        value={rest}
        of={RESTS}
        onChoose={(next) => editTicket({ rest: next })}
      />
      <div className="ticket-flags">
        <Flag of="reduceOnly" title="Reduce-only" />
      </div>
    </>
  )
}

function TwapFields(facts: FieldFacts) {
  return (
    <>
      <div className="field-pair">
        <Field {...facts} field="slices" title="Slices" placeholder="10" />
        <Field {...facts} field="lasts" title="Over" placeholder="30m" />
        <Field {...facts} field="random" title="Vary by" placeholder="not at all" />
        <Field {...facts} field="beyond" title="Not beyond" placeholder="any price" />
      </div>
      <div className="ticket-flags">
        <Flag of="reduceOnly" title="Reduce-only" />
      </div>
    </>
  )
}

function ScaleFields(facts: FieldFacts) {
  return (
    <>
      <div className="field-pair">
        <Field {...facts} field="from" title="From" placeholder="−1 %" />
        <Field {...facts} field="to" title="To" placeholder="−3 %" />
        <Field {...facts} field="slices" title="Orders" placeholder="5" />
        <Field {...facts} field="skew" title="Skew" placeholder="even" />
      </div>
      <div className="ticket-flags">
        <Flag of="postOnly" title="Post-only" />
        <Flag of="reduceOnly" title="Reduce-only" />
      </div>
    </>
  )
}

function Protection(facts: FieldFacts) {
  const side = useTicket((state) => state.side)
  const [stop, target] = side === 'buy' ? ['−2 %', '+4 %'] : ['+2 %', '−4 %']
  return (
    <div className="field-pair">
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
