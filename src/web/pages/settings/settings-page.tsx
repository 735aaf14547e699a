// Settings: accounts, and how the desk looks and listens in this browser.
import { useState } from 'react'
import { Pane } from '../../components/pane.tsx'
import { prefer, usePreferences } from '../../shell/preferences.ts'
import { applyTheme, storedTheme, storeTheme, THEMES, type Theme } from '../../theme.ts'
import { AccountsPane } from './accounts-pane.tsx'

export function SettingsPage() {
  return (
    <div className="page page-settings">
      <AccountsPane />
      <LooksPane />
    </div>
  )
}

const THEME_NAMES: Readonly<Record<Theme, string>> = { system: 'As the system', light: 'Light', dark: 'Dark' }

function LooksPane() {
  const [theme, setTheme] = useState(storedTheme)
  const hasLetterKeys = usePreferences((state) => state.hasLetterKeys)
  const choose = (next: Theme) => {
    storeTheme(next)
    applyTheme(next)
    setTheme(next)
  }
  return (
    <Pane id="looks" title="Looks and keys" isOwn>
      <form className="settings">
        <fieldset>
          <legend>Theme</legend>
          {THEMES.map((each) => (
            <label key={each}>
              <input type="radio" name="theme" checked={each === theme} onChange={() => choose(each)} />
              {THEME_NAMES[each]}
            </label>
          ))}
        </fieldset>
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
