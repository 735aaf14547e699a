// Which console this is, where it came from, and which hookline it drives.
import { useState } from 'react'
import { hostPlatformOf } from '../../../client/auto-connect.ts'
import { Pane } from '../../components/pane.tsx'
import { dropCopy } from '../../offline-copy/keep-copy.ts'
import { useServed } from '../../offline-copy/use-copy.ts'
import { LineToType } from './line-to-type.tsx'

/** Of package.json, at the build. */
declare const __VERSION__: string

export function AboutPane() {
  const { isServed, settings } = useServed()
  const platform = hostPlatformOf(navigator)
  const hookline = platform === undefined ? undefined : settings?.cli.checkins[platform]?.version
  const rows = [
    ['console', __VERSION__],
    ['hookline', hookline === undefined ? 'not known: it has not checked in' : `${hookline}, as of its last start`],
    ['opened from', isServed === false ? 'the copy that this browser keeps' : 'hookline web, which runs'],
  ] as const
  return (
    <Pane id="about" title="Version and copy" isOwn>
      <section className="block" aria-label="Versions">
        <dl className="facts">
          {rows.map(([name, text]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{text}</dd>
            </div>
          ))}
        </dl>
        {isServed === false && <LineToType line="hookline web" says="For the newest console, in a terminal:" />}
      </section>
      <Copy />
    </Pane>
  )
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
        This browser keeps a copy of the console, so that it opens while <code>hookline web</code> is not running. A new
        version comes with the next load. The browser’s menu can install it as an app.
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
