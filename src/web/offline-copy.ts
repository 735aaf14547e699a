// Whether the server of the console answered when this page was opened, and the copy of the console that the browser keeps. Only a page that
// hookline has let in keeps one: before that nothing is installed.
import { useEffect } from 'react'
import { create } from 'zustand'
import { WORKER_POLICY } from '../protocol/console.ts'
import type { WebSettings } from '../protocol/web-api.ts'
import { toast } from './components/toasts.tsx'
import { isLocalPage } from './connection/advice.ts'
import { notice } from './notifications/notices.ts'
import type { ReadSettings } from './settings.ts'
import { useDesk } from './state/use-console.ts'

const WORKER_URL = '/sw.js'
/** Coming back to a tab looks for a new build, but not each time. */
const LOOK_EVERY_MS = 10 * 60 * 1_000

interface WorkerHandlers {
  /** The copy is of a newer build than this page; reported once. */
  readonly onNewVersion: () => void
}

/** Without workers the browser keeps no copy: the console opens only while `hookline web` runs. */
async function keepCopy({ onNewVersion }: WorkerHandlers): Promise<void> {
  const workers = navigator.serviceWorker as ServiceWorkerContainer | undefined
  if (workers === undefined || !isSecureContext) return
  await dismissStrangers(workers)
  let isAnnounced = false
  const compare = async () => {
    if (isAnnounced || (await isCurrent(workers.controller)) !== false) return
    isAnnounced = true
    onNewVersion()
  }
  workers.addEventListener('controllerchange', () => void compare())
  try {
    // Its script is compared at every look, whatever caches say.
    const registration = await workers.register(workerUrl(), { scope: '/', updateViaCache: 'none' })
    lookWhenBack(registration)
    await registration.update()
    // An older one that is about to go does not know this page: the next one says.
    const { installing, waiting, active } = registration
    if (installing === null && waiting === null && active === workers.controller) await compare()
  } catch {
    // No such worker here, storage is forbidden, or no server: there is nothing newer to have.
  }
}

interface TrustedTypes {
  createPolicy(name: string, rules: { createScriptURL(url: string): string }): { createScriptURL(url: string): string }
}

/** A second policy of its name would be refused. */
let workerPolicy: ReturnType<TrustedTypes['createPolicy']> | undefined

/** The page's policy refuses a script that a text names; this makes the one address that is accepted. Browsers without trusted types take the text. */
function workerUrl(): string {
  const { trustedTypes } = globalThis as { readonly trustedTypes?: TrustedTypes }
  if (trustedTypes === undefined) return WORKER_URL
  workerPolicy ??= trustedTypes.createPolicy(WORKER_POLICY, { createScriptURL: () => WORKER_URL })
  return workerPolicy.createScriptURL('')
}

/** A worker of another name was left by another program that had this address, and would answer in our place. */
async function dismissStrangers(workers: ServiceWorkerContainer): Promise<void> {
  for (const registration of await workers.getRegistrations().catch(() => [])) {
    const { active, waiting, installing, scope } = registration
    const script = (active ?? waiting ?? installing)?.scriptURL
    const isOurs = scope === `${location.origin}/` && script === location.origin + WORKER_URL
    if (!isOurs) await registration.unregister()
  }
}

function lookWhenBack(registration: ServiceWorkerRegistration): void {
  let lookedAt = Date.now()
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState !== 'visible' || Date.now() - lookedAt < LOOK_EVERY_MS) return
    lookedAt = Date.now()
    registration.update().catch(() => {})
  })
}

/** @returns undefined: there is no worker, or it does not say */
function isCurrent(worker: ServiceWorker | null): Promise<boolean | undefined> {
  if (worker === null) return Promise.resolve(undefined)
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel()
    port1.onmessage = ({ data }) => {
      port1.close()
      resolve(typeof data?.isCurrent === 'boolean' ? data.isCurrent : undefined)
    }
    worker.postMessage({ files: filesOfPage() }, [port2])
  })
}

/** The script and the style sheet of this page, whose names have a hash of all that they load. */
function filesOfPage(): string[] {
  const named = [...document.querySelectorAll('head > script[src], head > link[rel=stylesheet]')]
  return named
    .map((element) => element.getAttribute('src') ?? element.getAttribute('href') ?? '')
    .filter((path) => path.startsWith('/assets/'))
}

/** Takes the worker away with all that it keeps. */
export async function dropCopy(): Promise<void> {
  const workers = navigator.serviceWorker as ServiceWorkerContainer | undefined
  for (const registration of (await workers?.getRegistrations().catch(() => [])) ?? []) await registration.unregister()
  if (typeof caches === 'undefined') return
  // Twice: the worker answers until its last tab is gone, and may note an answer while its build is being deleted.
  for (let round = 0; round < 2; round++)
    for (const name of await caches.keys().catch(() => [])) await caches.delete(name)
}

// --- whether the server answered

interface Served {
  /** Of the page as it was opened; undefined: not known yet. */
  readonly isServed: boolean | undefined
  /** As the web server sent them. */
  readonly settings: WebSettings | undefined
}

export const useServed = create<Served>(() => ({ isServed: undefined, settings: undefined }))

const notServed = (server: string) => `${server}: this is the copy that this browser keeps.`

/** The name of the server that does not answer. */
function whoIsAway(): string {
  return isLocalPage(location.origin) ? 'hookline web is not running' : `${location.host} does not answer`
}

export function noteServed({ isServed, settings }: ReadSettings): void {
  useServed.setState({ isServed, settings })
  if (!isServed)
    notice({ tone: 'info', text: notServed(whoIsAway()), page: 'settings', href: '/settings', isFailure: false })
}

/** From the first welcome on; where a copy is kept already, a newer one is looked for at once. */
export function useCopy(): void {
  const isIn = useDesk(({ connection }) => connection.name === 'welcomed' || hasWorker())
  useEffect(() => {
    if (isIn) void keepOnce()
  }, [isIn])
}

function hasWorker(): boolean {
  return 'serviceWorker' in navigator && navigator.serviceWorker.controller !== null
}

let isKept = false

async function keepOnce(): Promise<void> {
  if (isKept) return
  isKept = true
  await keepCopy({ onNewVersion: announceNewVersion })
}

function announceNewVersion(): void {
  toast({
    tone: 'success',
    text: 'A new version is ready.',
    action: { name: 'Reload', act: () => location.reload() },
  })
}

// The account signed in to a console for many; undefined where the console is one person's own.

export function useSignedInAs(): WebSettings['account'] {
  return useServed(({ settings }) => settings?.account)
}
