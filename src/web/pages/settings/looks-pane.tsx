// How the desk looks and listens in this browser.
import { type ReactNode, useState } from 'react'
import { Pane } from '../../components/pane.tsx'
import {
  applyDensity,
  DENSITIES,
  type Preferences,
  prefer,
  TIME_ZONES,
  usePreferences,
} from '../../shell/preferences.ts'
import { applyTheme, storedTheme, storeTheme, THEMES, type Theme } from '../../theme.ts'

const THEME_NAMES: Readonly<Record<Theme, string>> = { system: 'As the system', light: 'Light', dark: 'Dark' }
const DENSITY_NAMES: Readonly<Record<Preferences['density'], string>> = { dense: 'Dense', roomy: 'Roomy' }
const ZONE_NAMES: Readonly<Record<Preferences['timeZone'], string>> = { local: 'Of this computer', utc: 'UTC' }

export function LooksPane() {
  const [theme, setTheme] = useState(storedTheme)
  const { hasLetterKeys, density, timeZone } = usePreferences()
  const choose = (next: Theme) => {
    storeTheme(next)
    applyTheme(next)
    setTheme(next)
  }
  return (
    <Pane id="looks" title="Looks and keys" isOwn>
      <form className="settings">
        <Choice legend="Theme" name="theme" all={THEMES} titles={THEME_NAMES} chosen={theme} onChoose={choose} />
        <Choice
          legend="Rows"
          name="density"
          all={DENSITIES}
          titles={DENSITY_NAMES}
          chosen={density}
          onChoose={(next) => {
            prefer({ density: next })
            applyDensity()
          }}
        />
        <Choice
          legend="Times"
          name="time-zone"
          all={TIME_ZONES}
          titles={ZONE_NAMES}
          chosen={timeZone}
          onChoose={(next) => prefer({ timeZone: next })}
        />
        <fieldset>
          <legend>Keys</legend>
          <label>
            <input
              type="checkbox"
              checked={hasLetterKeys}
              onChange={(event) => prefer({ hasLetterKeys: event.target.checked })}
            />
            Single letters act on the page: G and a letter, S, ?
          </label>
        </fieldset>
      </form>
    </Pane>
  )
}

interface ChoiceProps<Id extends string> {
  readonly legend: ReactNode
  readonly name: string
  readonly all: readonly Id[]
  readonly titles: Readonly<Record<Id, string>>
  readonly chosen: Id
  readonly onChoose: (id: Id) => void
}

function Choice<Id extends string>({ legend, name, all, titles, chosen, onChoose }: ChoiceProps<Id>) {
  return (
    <fieldset>
      <legend>{legend}</legend>
      {all.map((each) => (
        <label key={each}>
          <input type="radio" name={name} checked={each === chosen} onChange={() => onChoose(each)} />
          {titles[each]}
        </label>
      ))}
    </fieldset>
  )
}
