// One of a few.
import type { ReactNode } from 'react'

export interface ChoiceProps<Id extends string> {
  readonly legend: ReactNode
  readonly name: string
  readonly all: readonly Id[]
  readonly titles: Readonly<Record<Id, string>>
  readonly chosen: Id
  readonly onChoose: (id: Id) => void
}

export function Choice<Id extends string>({ legend, name, all, titles, chosen, onChoose }: ChoiceProps<Id>) {
  return (
    <fieldset>
      <legend>{legend}</legend>
      <div className="options">
        {all.map((each) => (
          <label key={each}>
            <input type="radio" name={name} checked={each === chosen} onChange={() => onChoose(each)} />
            {titles[each]}
          </label>
        ))}
      </div>
    </fieldset>
  )
}
