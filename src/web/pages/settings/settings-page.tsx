// Settings: what hookline has and who may drive it, at the left; how this browser looks, listens and tells, at the right.
import { dropCopy, useServed, useSignedInAs } from '../../offline-copy.ts'
import { DevicesPane } from '../../sign-in/devices-pane.tsx'
import { AccountsPane } from './accounts-pane.tsx'
import { LooksPane } from './appearance-settings.tsx'
import { NewsPane } from './notification-settings.tsx'
import { PagesPane } from './pages-pane.tsx'
import './settings.css'
import { useState } from 'react'
import { hostPlatformOf } from '../../../client/auto-connect.ts'
import { LineToType } from '../../components/line-to-type.tsx'
import { Empty, Nothing, Pane } from '../../components/pane.tsx'
import { isLocalPage } from '../../connection/advice.ts'
import { useDesk } from '../../use-console.ts'

export function SettingsPage() {
  const account = useSignedInAs()
  return (
    <div className="page page-settings">
      <div className="grid settings-column">
        <AccountsPane />
        <PagesPane />
      </div>
      <div className="grid settings-column">
        <LooksPane />
        <NewsPane />
        <FilesPane />
        {account !== undefined && <DevicesPane account={account} />}
        <AboutPane />
      </div>
    </div>
  )
}

// Files of hookline's directory that a person has to fix: which, and on which line.

export function FilesPane() {
  const flags = useDesk((state) => state.flags)
  return (
    <Pane id="files" title="Files">
      {flags === undefined && <Nothing what="Files to fix" />}
      {flags?.invalidFiles === 0 && <Empty>Every file of hookline is in order.</Empty>}
      {flags !== undefined && flags.invalidFiles > 0 && (
        <>
          <div className="warning" role="note">
            <b>{flags.invalidFiles === 1 ? '1 file to fix.' : `${flags.invalidFiles} files to fix.`}</b>
            {flags.files?.map(({ file, message }) => (
              <p key={`${file} ${message}`}>{`${file}: ${message}`}</p>
            ))}
          </div>
          <LineToType line="status" says="All that hookline knows of them:" />
        </>
      )}
    </Pane>
  )
}

// Which console this is, where it came from, and which hookline it drives.

/** Of package.json, at the build. */
declare const __VERSION__: string

export function AboutPane() {
  const { isServed, settings } = useServed()
  const platform = hostPlatformOf(navigator)
  const hookline = platform === undefined ? undefined : settings?.cli.checkins[platform]?.version
  const isLocal = isLocalPage(location.origin)
  const rows = [
    ['console', __VERSION__],
    ['hookline', hookline === undefined ? 'not known: it has not checked in' : `${hookline}, as of its last start`],
    ['opened from', openedFrom(isServed, isLocal)],
  ] as const
  return (
    <Pane id="about" title="Version and copy" isOwn>
      <section className="block" aria-label="Versions">
        <dl className="grid facts">
          {rows.map(([name, text]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{text}</dd>
            </div>
          ))}
        </dl>
        {isServed === false && isLocal && (
          <LineToType line="hookline web" says="For the newest console, in a terminal:" />
        )}
      </section>
      <Copy />
    </Pane>
  )
}

function openedFrom(isServed: boolean | undefined, isLocal: boolean): string {
  if (isServed === false) return 'the copy that this browser keeps'
  return isLocal ? 'hookline web, which runs' : location.host
}

function Copy() {
  const [isGone, setGone] = useState(false)
  const drop = async () => {
    await dropCopy()
    setGone(true)
  }
  return (
    <section className="block" aria-label="Copy">
      <h3>Copy</h3>
      <p className="hint">
        This browser keeps a copy of the console, so that it opens while its server is not running. A new version comes
        with the next load. The browser’s menu can install it as an app.
      </p>
      <p>
        <button type="button" className="button" onClick={() => void drop()}>
          Remove the copy
        </button>{' '}
        <span role="status" className="muted">
          {isGone ? 'Gone. The next visit keeps a new one.' : ''}
        </span>
      </p>
    </section>
  )
}
