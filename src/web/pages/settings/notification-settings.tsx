import { useState } from 'react'
import { Pane } from '../../components/pane.tsx'
import { GROUPS, type Group } from '../../notifications/groups.ts'
import { play } from '../../notifications/os-notifications.ts'
import { prefer, usePreferences } from '../../shell/preferences.ts'

// What this browser tells of while somebody looks elsewhere. The browser is asked for its permission by the click here, and never else.

const GROUP_TITLES: Readonly<Record<Group, string>> = {
  failures: 'Failures: a run or a task that failed, a hook that paused itself, an order whose fate is unknown',
  fills: 'Fills',
  stops: 'Stops: placed, hit, lost',
  guards: 'Guards: a limit that was met, halt and resume',
  said: 'What a line says with notify',
}

type Permission = NotificationPermission | 'none'

const permissionNow = (): Permission => ('Notification' in window ? Notification.permission : 'none')

const WHY_NOT: Readonly<Record<Permission, string | undefined>> = {
  granted: undefined,
  default: undefined,
  denied: 'This browser blocks notifications of this site. Its site settings, left of the address, change that.',
  none: 'This browser has no notifications for pages.',
}

export function NewsPane() {
  return (
    <Pane id="news" title="Notifications and sounds" isOwn>
      <form className="settings">
        <Notifications />
        <Sounds />
        <Groups />
      </form>
    </Pane>
  )
}

function Notifications() {
  const isOn = usePreferences(({ hasNotifications }) => hasNotifications)
  const [permission, setPermission] = useState(permissionNow)
  const change = async (isWanted: boolean) => {
    if (!isWanted) return prefer({ hasNotifications: false })
    const answer = permissionNow() === 'default' ? await Notification.requestPermission() : permissionNow()
    setPermission(answer)
    prefer({ hasNotifications: answer === 'granted' })
  }
  const why = WHY_NOT[permission]
  return (
    <fieldset>
      <legend>Notifications</legend>
      <label>
        <input
          type="checkbox"
          checked={isOn && permission === 'granted'}
          disabled={why !== undefined}
          onChange={({ target }) => void change(target.checked)}
        />
        By the system, while no tab of the console is in front
      </label>
      <p className="hint">
        {why ?? 'Of several tabs one tells. Without any, hookline itself can: notices in its terminal says how.'}
      </p>
    </fieldset>
  )
}

function Sounds() {
  const isOn = usePreferences(({ hasSounds }) => hasSounds)
  return (
    <fieldset>
      <legend>Sounds</legend>
      <label>
        <input type="checkbox" checked={isOn} onChange={({ target }) => prefer({ hasSounds: target.checked })} />A short
        sound with each
      </label>
      <p className="hint">After a reload, browsers let a page sound once it was clicked.</p>
    </fieldset>
  )
}

function Groups() {
  const { told, hasSounds } = usePreferences()
  const change = (group: Group, isTold: boolean) =>
    prefer({ told: GROUPS.filter((each) => (each === group ? isTold : told.includes(each))) })
  return (
    <fieldset>
      <legend>Of what</legend>
      {GROUPS.map((group) => (
        <div key={group} className="row told-group">
          <label>
            <input
              type="checkbox"
              checked={told.includes(group)}
              onChange={({ target }) => change(group, target.checked)}
            />
            {GROUP_TITLES[group]}
          </label>
          {hasSounds && (
            <button
              type="button"
              className="button small"
              aria-label={`Play the sound of ${group}`}
              onClick={() => play(group)}
            >
              Play
            </button>
          )}
        </div>
      ))}
    </fieldset>
  )
}
