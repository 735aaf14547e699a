// Where a person is signed in, and which machines have checked in: each can be removed here.
import { useCallback, useEffect, useState } from 'react'
import { type Devices, devices, type WebSettings } from '../../protocol/web-api.ts'
import { useConfirm } from '../components/dialog.tsx'
import { Empty, Pane, Skeleton } from '../components/pane.tsx'
import { toast } from '../components/toasts.tsx'
import { showTime } from '../figures.ts'
import { useConsole } from '../state/use-console.ts'
import { forgetEverywhere } from './browser-owner.ts'

/** As check-ins name them. */
const PLATFORMS = { darwin: 'macOS', win32: 'Windows', linux: 'Linux' } as const

export function DevicesPane({ account }: { readonly account: NonNullable<WebSettings['account']> }) {
  const [known, setKnown] = useState<Devices | 'away'>()
  const read = useCallback(async () => setKnown((await readDevices()) ?? 'away'), [])
  useEffect(() => void read(), [read])
  const confirm = useConfirm()
  const console = useConsole()
  const leave = async () => {
    if (await signOut()) {
      console.disconnect()
      await forgetEverywhere()
      location.assign('/')
    } else toast({ tone: 'error', text: 'The console did not answer. You are still signed in.' })
  }
  const remove = async (name: string, id: string, isBrowser: boolean) => {
    const body = isBrowser
      ? 'It is signed out at once. A page that is open there ends within a minute, and what it keeps is deleted; hookline trusts it until you revoke it.'
      : 'Pages no longer look for hookline because of it.'
    const isSure = await confirm({ title: `Remove ${name}?`, body, yes: 'Remove', no: 'Keep', isDestructive: true })
    if (!isSure) return
    if (!(await removeDevice(id))) toast({ tone: 'error', text: `The console did not answer. ${name} is still there.` })
    await read()
  }
  return (
    <Pane id="devices" title="Signed in" aside={account.email}>
      {known === undefined && <Skeleton />}
      {known === 'away' && <Empty>The console’s record cannot be read now. Reload to try again.</Empty>}
      {known !== undefined && known !== 'away' && <DeviceList {...known} onRemove={remove} />}
      <button type="button" className="button" onClick={leave}>
        Sign out
      </button>
    </Pane>
  )
}

interface DeviceListProps extends Devices {
  onRemove(name: string, id: string, isBrowser: boolean): void
}

function DeviceList({ browsers, machines, onRemove }: DeviceListProps) {
  const now = Date.now()
  return (
    <>
      <section className="block" aria-label="Browsers">
        <h3>Browsers</h3>
        <ul className="devices">
          {browsers.map(({ id, label, seenAt, isThis }) => (
            <li key={id} className="cluster">
              <b>{label}</b> {isThis ? 'this one' : `seen ${showTime(seenAt, now)}`}
              {!isThis && (
                <button type="button" className="button small" onClick={() => onRemove(label, id, true)}>
                  Remove<span className="visually-hidden"> {label}</span>
                </button>
              )}
            </li>
          ))}
        </ul>
      </section>
      <section className="block" aria-label="Machines">
        <h3>Machines with hookline</h3>
        {machines.length === 0 && (
          <Empty>
            None has checked in. Type <code>hookline login</code> in its shell, then start hookline.
          </Empty>
        )}
        <ul className="devices">
          {machines.map(({ id, platform, version, seenAt }) => (
            <li key={id} className="cluster">
              <b>{PLATFORMS[platform]}</b> hookline {version}, started {showTime(seenAt, now)}
              <button type="button" className="button small" onClick={() => onRemove(PLATFORMS[platform], id, false)}>
                Remove<span className="visually-hidden"> {PLATFORMS[platform]}</span>
              </button>
            </li>
          ))}
        </ul>
      </section>
    </>
  )
}

// --- as the console's server knows them

/** @returns undefined: it does not answer, or not so */
export async function readDevices(): Promise<Devices | undefined> {
  try {
    const response = await fetch('/api/devices', { headers: { Accept: 'application/json' } })
    const parsed = devices.safeParse(await response.json())
    return response.ok && parsed.success ? parsed.data : undefined
  } catch {
    return undefined
  }
}

/** @returns whether it is gone */
export async function removeDevice(id: string): Promise<boolean> {
  const response = await fetch(`/api/devices/${id}`, { method: 'DELETE' }).catch(() => undefined)
  return response?.status === 204 || response?.status === 404
}

/** @returns whether this browser is signed out */
export async function signOut(): Promise<boolean> {
  const response = await fetch('/auth/sign-out', { method: 'POST' }).catch(() => undefined)
  return response?.status === 204 || response?.status === 401
}
