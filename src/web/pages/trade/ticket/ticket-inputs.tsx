// The parts that tickets are made of: fields that arrows step, flags.
import type { KeyboardEvent, ReactNode } from 'react'
import { defined } from '../../../../base/defined.ts'
import type { MarketRow } from '../../../../protocol/frames.ts'
import { stepField } from './step-figure.ts'
import type { TicketField } from './ticket.ts'
import { editTicket, useTicket } from './ticket-store.ts'
import type { Fault } from './ticket-words.ts'

/** What all fields of a ticket are judged by. */
export interface FieldFacts {
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

export function Field({ field, title, aside, placeholder, fault, market, last }: FieldProps) {
  const value = useTicket((state) => state[field])
  const message = fault?.field === field && (value !== '' || fault.message !== undefined) ? fault.message : undefined
  const step = (event: KeyboardEvent) => {
    const by = { ArrowUp: 1, ArrowDown: -1 }[event.key]
    if (by === undefined || event.altKey || event.ctrlKey || event.metaKey) return
    event.preventDefault()
    const times = event.shiftKey ? by * MANY : by
    const known = defined({ last })
    editTicket({ [field]: stepField(useTicket.getState(), field, { times, market, ...known }) })
  }
  return (
    <div className="ticket-field">
      <span className="field-head">
        <label htmlFor={`ticket-${field}`}>{title}</label>
        {aside}
      </span>
      <input
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
        onChange={({ target }) => editTicket({ [field]: target.value })}
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

export function Flag({ of, title }: FlagProps) {
  const isOn = useTicket((state) => state[of])
  return (
    <label>
      <input type="checkbox" checked={isOn} onChange={({ target }) => editTicket({ [of]: target.checked })} />
      {title}
    </label>
  )
}
