// While somebody wants sounds or notifications, this tab takes its turn in telling.
import { useEffect } from 'react'
import { usePreferences } from '../shell/preferences.ts'
import { useDesk } from '../use-console.ts'
import { loadTelling } from './tell-elsewhere.ts'

export function useTelling(): void {
  const isConnected = useDesk(({ connection }) => connection.name === 'welcomed')
  const wants = usePreferences(({ hasSounds, hasNotifications }) => hasSounds || hasNotifications)
  useEffect(() => {
    if (!wants || !isConnected) return undefined
    void loadTelling().then(({ setTelling }) => setTelling(true))
    return () => void loadTelling().then(({ setTelling }) => setTelling(false))
  }, [wants, isConnected])
}
