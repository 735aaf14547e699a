// Makes a file of the fills of the account and the span that are shown.
import { useState } from 'react'
import { ClientError } from '../../../client/client-error.ts'
import { toast } from '../../components/toasts.tsx'
import { isLive } from '../../console-state.ts'
import { useConsole, useDesk } from '../../use-console.ts'
import { fillsFile, fillsFileName } from './fills-csv.ts'
import { startOf } from './spans.ts'
import type { View } from './use-view.ts'

export function FillsButton({ view: { account, span } }: { readonly view: View }) {
  const console = useConsole()
  const isConnected = useDesk(isLive)
  const [isAsking, setAsking] = useState(false)
  if (account === undefined) return null
  const make = async () => {
    setAsking(true)
    try {
      const filters = startOf(span, Date.now())
      const { text, rows, gaps } = await fillsFile((question) => console.ask.fills(question), { account, filters })
      save(fillsFileName(account, span.id), text)
      const missing = gaps.length === 0 ? '' : `; something may be missing: ${gaps.join('; ')}`
      toast({ tone: gaps.length === 0 ? 'success' : 'warn', text: `${rows} fills of ${account} in a file${missing}` })
    } catch (error) {
      if (!(error instanceof ClientError)) throw error
      toast({ tone: 'error', text: `No file of fills: ${error.message}` })
    } finally {
      setAsking(false)
    }
  }
  return (
    <button
      type="button"
      className="button small"
      disabled={!isConnected || isAsking}
      aria-label={`Save the fills of ${account} as CSV`}
      title={`Every fill of ${account} in this span, as a file for spreadsheets`}
      onClick={() => void make()}
    >
      CSV
    </button>
  )
}

function save(name: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: 'text/csv' }))
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  // Not before the browser has begun to read it.
  setTimeout(() => URL.revokeObjectURL(url), 60_000)
}
