// One of a few, side by side: one tab stop, left and right choose.
import { type KeyboardEvent, useRef } from 'react'

export type Choices<Value extends string> = readonly (readonly [value: Value, title: string])[]

interface ChoiceProps<Value extends string> {
  readonly label: string
  readonly className: string
  readonly value: Value
  readonly of: Choices<Value>
  readonly onChoose: (value: Value) => void
}

export function Choice<Value extends string>({ label, className, value, of, onChoose }: ChoiceProps<Value>) {
  const list = useRef<HTMLFieldSetElement>(null)
  const move = (event: KeyboardEvent) => {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key]
    if (by === undefined) return
    event.preventDefault()
    const at = (of.findIndex(([each]) => each === value) + by + of.length) % of.length
    const [next] = of[at] ?? []
    if (next === undefined) return
    onChoose(next)
    list.current?.querySelector<HTMLElement>(`[data-value="${next}"]`)?.focus()
  }
  return (
    <fieldset className={className} aria-label={label} ref={list} onKeyDown={move}>
      {of.map(([each, title]) => (
        <button
          key={each}
          type="button"
          data-value={each}
          aria-pressed={each === value}
          tabIndex={each === value ? 0 : -1}
          onClick={() => onChoose(each)}
        >
          {title}
        </button>
      ))}
    </fieldset>
  )
}
