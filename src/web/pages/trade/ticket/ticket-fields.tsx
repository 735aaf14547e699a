// The controls of the ticket, from what is bought to what protects it.
import type { MarketRow } from '../../../../protocol/frames.ts'
import { showPrice } from '../../../figures.ts'
import type { SizeUnit, Ticket, TicketField } from './ticket.ts'
import type { Written } from './ticket-line.ts'
import { editTicket, useTicket } from './ticket-store.ts'

export interface TicketFieldsProps {
  readonly market: MarketRow | undefined
  readonly last: string | undefined
  /** Why there is no line. */
  readonly fault: Exclude<Written, { readonly line: string }> | undefined
}

export function TicketFields({ market, last, fault }: TicketFieldsProps) {
  const ticket = useTicket()
  const isLimit = ticket.kind === 'limit'
  const now = last === undefined ? '' : `now ${showPrice(last, market?.tick ?? last)}`
  return (
    <>
      <Choice
        label="Kind of order"
        className="segments"
        value={ticket.kind}
        of={KINDS}
        onChoose={(kind) => editTicket(kind === 'market' ? { kind, postOnly: false } : { kind })}
      />
      <Choice label="Side" className="sides" value={ticket.side} of={SIDES} onChoose={(side) => editTicket({ side })} />
      <div className="field-row">
        <Field field="size" title="Size" fault={fault} />
        <Choice
          label="Size in"
          className="segments"
          value={ticket.unit}
          of={unitsOf(market)}
          onChoose={(unit) => editTicket({ unit })}
        />
      </div>
      {isLimit && <Field field="price" title="Price" aside={now} fault={fault} />}
      <div className="field-pair">
        <Field field="stop" title="Stop" placeholder="−2 %" fault={fault} />
        <Field field="target" title="Target" placeholder="+4 %" fault={fault} />
      </div>
      <div className="ticket-flags">
        <Flag of="postOnly" title="Post-only" isOff={!isLimit} />
        <Flag of="reduceOnly" title="Reduce-only" />
      </div>
    </>
  )
}

type Choices<Value extends string> = readonly (readonly [value: Value, title: string])[]

const KINDS: Choices<Ticket['kind']> = [
  ['market', 'Market'],
  ['limit', 'Limit'],
]
const SIDES: Choices<Ticket['side']> = [
  ['buy', 'Buy'],
  ['sell', 'Sell'],
]

function unitsOf(market: MarketRow | undefined): Choices<SizeUnit> {
  return [
    ['quote', '$'],
    ['base', market?.base ?? 'coin'],
    ['percent', '%'],
  ]
}

interface ChoiceProps<Value extends string> {
  readonly label: string
  readonly className: string
  readonly value: Value
  readonly of: Choices<Value>
  readonly onChoose: (value: Value) => void
}

function Choice<Value extends string>({ label, className, value, of, onChoose }: ChoiceProps<Value>) {
  return (
    <fieldset className={className} aria-label={label}>
      {of.map(([each, title]) => (
        <button key={each} type="button" data-value={each} aria-pressed={each === value} onClick={() => onChoose(each)}>
          {title}
        </button>
      ))}
    </fieldset>
  )
}

interface FieldProps {
  readonly field: TicketField
  readonly title: string
  readonly aside?: string
  readonly placeholder?: string
  readonly fault: TicketFieldsProps['fault']
}

function Field({ field, title, aside, placeholder, fault }: FieldProps) {
  const value = useTicket((state) => state[field])
  const message = fault?.field === field && value !== '' ? fault.message : undefined
  return (
    <label className="ticket-field">
      <span className="field-head">
        <span>{title}</span>
        {aside !== undefined && (
          <span className="muted" aria-hidden="true">
            {aside}
          </span>
        )}
      </span>
      <input
        type="text"
        inputMode="text"
        autoComplete="off"
        spellCheck={false}
        placeholder={placeholder}
        aria-invalid={message !== undefined}
        aria-describedby={message === undefined ? undefined : `fault-${field}`}
        value={value}
        onChange={({ target }) => editTicket({ [field]: target.value })}
      />
      {message !== undefined && (
        <span id={`fault-${field}`} className="refusal">
          {message}
        </span>
      )}
    </label>
  )
}

interface FlagProps {
  readonly of: 'postOnly' | 'reduceOnly'
  readonly title: string
  readonly isOff?: boolean
}

function Flag({ of, title, isOff = false }: FlagProps) {
  const isOn = useTicket((state) => state[of])
  return (
    <label>
      <input
        type="checkbox"
        checked={isOn}
        disabled={isOff}
        onChange={({ target }) => editTicket({ [of]: target.checked })}
      />
      {title}
    </label>
  )
}
