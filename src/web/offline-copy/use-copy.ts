// Whether `hookline web` answered when this page was opened, and the copy that is kept once hookline has let the page in.
import { useEffect } from 'react'
import { create } from 'zustand'
import type { WebSettings } from '../../protocol/web-api.ts'
import { toast } from '../components/toasts.tsx'
import type { ReadSettings } from '../settings.ts'
import { notice } from '../shell/notices.ts'
import { useDesk } from '../use-console.ts'

interface Served {
  /** Of the page as it was opened; undefined: not known yet. */
  readonly isServed: boolean | undefined
  /** What the web server knows. */
  readonly settings: WebSettings | undefined
}

export const useServed = create<Served>(() => ({ isServed: undefined, settings: undefined }))

const NOT_SERVED = '`hookline web` is not running: this is the copy that this browser keeps.'

export function noteServed({ isServed, settings }: ReadSettings): void {
  useServed.setState({ isServed, settings })
  if (!isServed) notice({ tone: 'info', text: NOT_SERVED, page: 'settings', href: '/settings' })
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
  const { keepCopy } = await import('./keep-copy.ts')
  await keepCopy({ onNewVersion: tellNewVersion })
}

function tellNewVersion(): void {
  toast({
    tone: 'success',
    text: 'A new version is ready.',
    action: { name: 'Reload', act: () => location.reload() },
  })
}
