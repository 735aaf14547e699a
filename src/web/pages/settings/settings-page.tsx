// Settings: accounts and trusted pages at the left; looks, keys and notifications of this browser at the right.

import { useState } from 'react'
import { hostPlatformOf } from '../../../client/auto-connect.ts'
import { typedLine } from '../../../language/print.ts'
import type { ClientRow } from '../../../protocol/desk-frames.ts'
import { keyTail } from '../../../protocol/proof.ts'
import { LineToType } from '../../components/copy-button.tsx'
import { useConfirm } from '../../components/dialog.tsx'
import { Empty, Nothing, Pane } from '../../components/pane.tsx'
import { toast } from '../../components/toasts.tsx'
import { isLocalPage } from '../../connection/advice.ts'
import { describeFailure } from '../../console.ts'
import { showMoney, showTime } from '../../figures.ts'
import { play } from '../../notifications/os-notifications.ts'
import { dropCopy, useServed, useSignedInAs } from '../../offline-copy.ts'
import { forgetEverywhere } from '../../sign-in/browser-owner.ts'
import { DevicesPane } from '../../sign-in/devices-pane.tsx'
import { GROUPS, type Group, prefer, usePreferences } from '../../state/preferences.ts'
import { useConsole, useDesk } from '../../state/use-console.ts'
import { useQuery } from '../../state/use-query.ts'
import { AccountsPane } from './accounts-pane.tsx'
import { LooksPane } from './appearance-settings.tsx'
import './settings.css'

export function SettingsPage() {
  const account = useSignedInAs()
  return (
    <div className="scrolls page page-settings">
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
      {flags?.invalidFiles === 0 && <Empty>All hookline files are valid.</Empty>}
      {flags !== undefined && flags.invalidFiles > 0 && (
        <>
          <div className="soft warning" role="note">
            <b>{flags.invalidFiles === 1 ? '1 file to fix.' : `${flags.invalidFiles} files to fix.`}</b>
            {flags.files?.map(({ file, message }) => (
              <p key={`${file} ${message}`}>{`${file}: ${message}`}</p>
            ))}
          </div>
          <LineToType line="status" label="All that hookline knows of them:" />
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
        <Facts rows={rows} />
        {isServed === false && isLocal && (
          <LineToType line="hookline web" label="For the newest console, in a terminal:" />
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
      <p className="muted">
        This browser keeps a copy of the console, so that it opens while its server is not running. A new version comes
        with the next load. The browser’s menu can install it as an app.
      </p>
      <p>
        <button type="button" className="button" onClick={() => void drop()}>
          Remove the copy
        </button>{' '}
        <span role="status" className="muted">
          {isGone ? 'Removed. The next visit saves a new copy.' : ''}
        </span>
      </p>
    </section>
  )
}

// Notifications while no tab of the console is in front. Only a click here asks the browser for its permission.

const GROUP_TITLES: Readonly<Record<Group, string>> = {
  failures: 'Failures: a run or a task that failed, a hook that paused itself, an order whose outcome is unknown',
  fills: 'Fills',
  stops: 'Stops: placed, hit, lost',
  guards: 'Guards: a limit reached, halt and resume',
  said: 'What a line sends with notify',
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
      <form className="gap-5 grid settings">
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
      <label className="row">
        <input
          type="checkbox"
          checked={isOn && permission === 'granted'}
          disabled={why !== undefined}
          onChange={({ target }) => void change(target.checked)}
        />
        System notifications, while no tab of the console is in front
      </label>
      <p className="muted">
        {why ?? 'Of several tabs, one notifies. hookline can also notify without a tab: type notices in its terminal.'}
      </p>
    </fieldset>
  )
}

function Sounds() {
  const isOn = usePreferences(({ hasSounds }) => hasSounds)
  return (
    <fieldset>
      <legend>Sounds</legend>
      <label className="row">
        <input type="checkbox" checked={isOn} onChange={({ target }) => prefer({ hasSounds: target.checked })} />A short
        sound with each
      </label>
      <p className="muted">After a reload, browsers allow sound only after a click.</p>
    </fieldset>
  )
}

function Groups() {
  const { groups, hasSounds } = usePreferences()
  const change = (group: Group, isOn: boolean) =>
    prefer({ groups: GROUPS.filter((each) => (each === group ? isOn : groups.includes(each))) })
  return (
    <fieldset>
      <legend>Of what</legend>
      {GROUPS.map((group) => (
        <div key={group} className="spread row">
          <label className="row">
            <input
              type="checkbox"
              checked={groups.includes(group)}
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

// --- Who may drive hookline: this page, as hookline knows it, and what only the terminal may change about it and the others.

export function PagesPane() {
  const { clientId } = useConsole()
  const { origin } = location
  return (
    <Pane id="pages" title="Pages and programs" isOwn>
      <ThisPage />
      <Clients />
      <section className="block" aria-label="Others that may drive hookline">
        <h3>In the terminal</h3>
        <p className="muted">Only the hookline terminal approves a client, or lets one do more.</p>
        <LineToType line="clients" label="Trusted and connected clients:" />
        <LineToType line={typedLine`clients revoke ${clientId.slice(0, 8)}`} label="To revoke this page:" />
        <LineToType line="clients revoke --all" label="To revoke every page, including this one:" />
      </section>
      <section className="block" aria-label="Pages that may ask">
        <h3>Pages that may ask</h3>
        <p className="muted">
          Only pages at these addresses may ask for approval. The list is in config.json and is read at each request.
        </p>
        <LineToType
          line={`{ "listener": { "allowedOrigins": [${JSON.stringify(origin)}] } }`}
          label="Only pages from here:"
        />
      </section>
      <Forget />
    </Pane>
  )
}

const NO_CLIENTS: readonly ClientRow[] = []

/** The console alone receives them; elsewhere, and from an older hookline, there is no such part. */
function Clients() {
  const { ask } = useConsole()
  const [changes, setChanges] = useState(0)
  const { answer, problem } = useQuery('clients', changes, () => ask.clients())
  const confirm = useConfirm()
  const narrow = async ({ ref, label }: ClientRow, { to, name, effect }: Narrowing) => {
    const isSure = await confirm({
      title: `${name}: ${clientName(label)}?`,
      body: <p>{effect} Its runs under way end. Only the hookline terminal gives it back.</p>,
      yes: name,
      no: 'Leave it',
      isDestructive: true,
    })
    if (!isSure) return
    await ask.narrow(ref, to).catch((error: unknown) => toast({ tone: 'error', text: describeFailure(error) }))
    setChanges((count) => count + 1)
  }
  const rows = answer?.clients ?? NO_CLIENTS
  return (
    <section className="block" aria-label="Clients">
      <h3>Clients</h3>
      {problem !== undefined && <p className="muted">{problem}</p>}
      {rows.map((row) => (
        <div key={`${row.ref} ${row.origin}`} className="grid gap-2">
          <b className="breaks">
            {clientName(row.label)}
            {row.isYou && ', this page'}
          </b>
          <Facts rows={clientFacts(row)} />
          {!row.isYou && (
            <div className="cluster">
              {NARROWINGS.filter(({ from }) => from.includes(row.grant?.may ?? 'trade')).map((narrowing) => (
                <button
                  key={narrowing.to}
                  type="button"
                  className="button small"
                  onClick={() => void narrow(row, narrowing)}
                >
                  {narrowing.name}
                </button>
              ))}
            </div>
          )}
        </div>
      ))}
    </section>
  )
}

interface Narrowing {
  readonly to: 'propose' | 'look' | 'none'
  readonly name: string
  readonly effect: string
  /** Grants that are wider; without one a client is like `trade`. */
  readonly from: readonly string[]
}

const NARROWINGS: readonly Narrowing[] = [
  { to: 'propose', name: 'Propose only', effect: 'It proposes lines, and you approve each.', from: ['trade'] },
  { to: 'look', name: 'Look only', effect: 'It sees what pages see, and orders nothing.', from: ['trade', 'propose'] },
  { to: 'none', name: 'Revoke', effect: 'Its sessions end.', from: ['trade', 'propose', 'look'] },
]

const clientName = (label: string) => label || 'without a label'

function clientFacts({ origin, hasKey, connected, grant }: ClientRow) {
  const names = (list: readonly string[] | undefined) => list?.join(', ') ?? 'all'
  const day = grant?.perDay === undefined ? 'no limit' : `$${showMoney(grant.perDay)}`
  return [
    ['from', origin],
    ['proof', hasKey ? 'by a key' : 'none: its id is enough'],
    ['connected', connected === 0 ? 'no' : connected === 1 ? 'once' : `${connected} times`],
    ...(grant === undefined
      ? [['may', 'all that pages may, without limits'] as const]
      : [
          ['may', grant.hasEnded ? 'look only: what it was allowed has ended' : grant.may] as const,
          ['an order', grant.perOrder === undefined ? 'no limit' : `$${showMoney(grant.perOrder)}`] as const,
          [
            'a day',
            `${day}${grant.usedToday === undefined ? '' : `, $${showMoney(grant.usedToday)} used today`}`,
          ] as const,
          ['accounts', names(grant.accounts)] as const,
          ['symbols', names(grant.symbols)] as const,
          ['until', showTime(grant.until, Date.now())] as const,
        ]),
  ] as const
}

function ThisPage() {
  const { clientId, label, key } = useConsole()
  const connection = useDesk((state) => state.connection)
  const known = connection.name === 'welcomed' ? connection : undefined
  const rows = [
    ['label', label],
    ['origin', location.origin],
    ['client', clientId.slice(0, 8)],
    ['its key', key === undefined ? 'none: this browser keeps no key for this page' : keyTail(key)],
    ['hookline', known?.listenerId ?? 'not connected'],
    ['hookline’s key', hooklineKey(known)],
    ...(known === undefined || known.email === '' ? [] : [['signed in', known.email] as const]),
  ] as const
  return (
    <section className="block" aria-label="This page">
      <h3>This page</h3>
      <Facts rows={rows} />
      <p className="muted">{proofInWords(key !== undefined, known)}</p>
    </section>
  )
}

function hooklineKey(known: { readonly key?: string } | undefined): string {
  if (known === undefined) return 'not connected'
  return known.key === undefined ? 'none: this hookline is too old for one' : keyTail(known.key)
}

function proofInWords(hasKey: boolean, known: { readonly key?: string } | undefined): string {
  if (known === undefined) return 'Once connected, both sides prove their identity with keys.'
  if (known.key === undefined || !hasKey)
    return 'Neither side has proved its identity: hookline trusts the name of this page, and this page trusts whatever answers.'
  return 'Both sides have proved their identity with keys that never leave them. The line below shows the same key endings.'
}

function Forget() {
  const console = useConsole()
  const confirm = useConfirm()
  const forget = async () => {
    const isSure = await confirm({
      title: 'Forget this browser?',
      body: (
        <>
          <p>
            The keys of its pages, the hookline it knows, its settings and the copy of the console are deleted here. A
            new visit has to be approved in the hookline terminal.
          </p>
          <p>hookline itself keeps the page among its clients until you revoke it there.</p>
        </>
      ),
      yes: 'Forget',
      no: 'Keep',
      isDestructive: true,
    })
    if (!isSure) return
    console.disconnect()
    await forgetEverywhere()
    location.assign('/')
  }
  return (
    <section className="block" aria-label="Forget">
      <h3>Forget</h3>
      <p className="muted">For a browser that other people use too.</p>
      <p>
        <button type="button" className="button danger" onClick={() => void forget()}>
          Forget this browser
        </button>
      </p>
    </section>
  )
}

function Facts({ rows }: { readonly rows: readonly (readonly [name: string, text: string])[] }) {
  return (
    <dl className="facts">
      {rows.map(([name, text]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{text}</dd>
        </div>
      ))}
    </dl>
  )
}
