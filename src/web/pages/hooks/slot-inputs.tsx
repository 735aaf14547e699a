// What an alert would say, a field for each slot.
import { useId } from 'react'
import type { AlertSlot } from '../../../language/alert-slot.ts'
import type { SlotValues } from '../../../language/hook-chain.ts'
import { takes } from './hook-lines.ts'

export interface SlotInputsProps {
  readonly slots: readonly AlertSlot[]
  readonly values: SlotValues
  readonly onChange: (values: SlotValues) => void
}

export function SlotInputs({ slots, values, onChange }: SlotInputsProps) {
  const id = useId()
  if (slots.length === 0) return null
  return (
    <div className="slot-inputs">
      {slots.map((slot) => (
        <div key={slot.name}>
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
