import { type ReactNode, useState } from 'react'
import { Pane } from '../../components/pane.tsx'
import { layOut } from '../../state/layout.ts'
import {
  applyLooks,
  CONTRASTS,
  DEFAULTS,
  DENSITIES,
  type Preferences,
  prefer,
  TERMINAL_FONTS,
  TIME_ZONES,
  usePreferences,
} from '../../state/preferences.ts'
import { applyTheme, storedTheme, storeTheme, THEMES, type Theme } from '../../theme.ts'

// One of a few.

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
      <div className="cluster options">
        {all.map((each) => (
          <label key={each} className="row">
            <input type="radio" name={name} checked={each === chosen} onChange={() => onChoose(each)} />
            {titles[each]}
          </label>
        ))}
      </div>
    </fieldset>
  )
}

// How the desk looks and listens in this browser.

const THEME_NAMES: Readonly<Record<Theme, string>> = { system: 'Same as the system', light: 'Light', dark: 'Dark' }
const CONTRAST_NAMES: Readonly<Record<Preferences['contrast'], string>> = { system: 'Same as the system', more: 'High' }
const DENSITY_NAMES: Readonly<Record<Preferences['density'], string>> = { dense: 'Dense', roomy: 'Roomy' }
const ZONE_NAMES: Readonly<Record<Preferences['timeZone'], string>> = { local: 'This computer', utc: 'UTC' }

export function LooksPane() {
  const { contrast, density, timeZone } = usePreferences()
  const change = (wish: Partial<Preferences>) => {
    prefer(wish)
    applyLooks()
  }
  return (
    <Pane id="looks" title="Appearance and keys" isOwn>
      <form className="gap-5 grid settings">
        <ThemeChoice />
        <Choice
          legend="Contrast"
          name="contrast"
          all={CONTRASTS}
          titles={CONTRAST_NAMES}
          chosen={contrast}
          onChoose={(next) => change({ contrast: next })}
        />
        <Choice
          legend="Rows"
          name="density"
          all={DENSITIES}
          titles={DENSITY_NAMES}
          chosen={density}
          onChoose={(next) => change({ density: next })}
        />
        <Choice
          legend="Times"
          name="time-zone"
          all={TIME_ZONES}
          titles={ZONE_NAMES}
          chosen={timeZone}
          onChoose={(next) => change({ timeZone: next })}
        />
        <TerminalFont onChange={change} />
        <LetterKeys />
        <ResetLayout />
      </form>
    </Pane>
  )
}

function ThemeChoice() {
  const [theme, setTheme] = useState(storedTheme)
  const choose = (next: Theme) => {
    storeTheme(next)
    applyTheme(next)
    setTheme(next)
  }
  return <Choice legend="Theme" name="theme" all={THEMES} titles={THEME_NAMES} chosen={theme} onChoose={choose} />
}

function TerminalFont({ onChange }: { readonly onChange: (wish: Partial<Preferences>) => void }) {
  const size = usePreferences(({ terminalFont }) => terminalFont)
  return (
    <fieldset>
      <legend>Terminal</legend>
      <label className="row">
        Text size
        <select
          value={size}
          onChange={({ target }) =>
            onChange({ terminalFont: TERMINAL_FONTS.find((each) => each === Number(target.value)) ?? size })
          }
        >
          {TERMINAL_FONTS.map((each) => (
            <option key={each} value={each}>
              {each === DEFAULTS.terminalFont ? `${each} px, as usual` : `${each} px`}
            </option>
          ))}
        </select>
      </label>
    </fieldset>
  )
}

function LetterKeys() {
  const hasLetterKeys = usePreferences((preferences) => preferences.hasLetterKeys)
  return (
    <fieldset>
      <legend>Keys</legend>
      <label className="row">
        <input
          type="checkbox"
          checked={hasLetterKeys}
          onChange={(event) => prefer({ hasLetterKeys: event.target.checked })}
        />
        Single-letter shortcuts: G and a letter, S, ?
      </label>
    </fieldset>
  )
}

function ResetLayout() {
  const [isDone, setDone] = useState(false)
  const reset = () => {
    layOut({})
    prefer({ drawerHeight: DEFAULTS.drawerHeight })
    setDone(true)
  }
  return (
    <fieldset>
      <legend>Layout</legend>
      <p>
        <button type="button" className="button" onClick={reset}>
          Reset layout
        </button>{' '}
        <span role="status" className="muted">
          {isDone ? 'Every pane has its usual size.' : ''}
        </span>
      </p>
    </fieldset>
  )
}
