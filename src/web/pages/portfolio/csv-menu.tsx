// Makes files of what is shown: the fills of the account in the span, what was made, and the points of the curve.
import { useState } from 'react'
import { Menu, type MenuItem, usePopover } from '../../components/popover.tsx'
import { toast } from '../../components/toasts.tsx'
import { isLive } from '../../console-state.ts'
import { describeFailure } from '../../describe-failure.ts'
import { useConsole, useDesk } from '../../use-console.ts'
import { type CsvFile, csvName, equityFile, fillsFile, pnlFile } from './csv-files.ts'
import { startOf } from './spans.ts'
import type { View } from './use-view.ts'

/** The most that hookline gives. */
const MOST_POINTS = 2000

export function CsvMenu({ view }: { readonly view: View }) {
  const { ask } = useConsole()
  const popover = usePopover()
  const isConnected = useDesk(isLive)
  const [isAsking, setAsking] = useState(false)
  const { account, span, by, zone } = view
  if (account === undefined) return null
  const make = async (what: string, file: () => Promise<CsvFile>) => {
    popover.close()
    setAsking(true)
    try {
      const { text, rows, gaps } = await file()
      save(csvName(what, account, span.id), text)
      const missing = gaps.length === 0 ? '' : `; something may be missing: ${gaps.join('; ')}`
      toast({
        tone: gaps.length === 0 ? 'success' : 'warn',
        text: `${rows} lines of ${what} of ${account} in a file${missing}`,
      })
    } catch (error) {
      toast({ tone: 'error', text: `No file of ${what}: ${describeFailure(error)}` })
    } finally {
      setAsking(false)
    }
  }
  const range = () => startOf(span, Date.now())
  const scope = () => (by === 'account' ? range() : { account, ...range() })
  const files: readonly (readonly [id: string, title: string, note: string, file: () => Promise<CsvFile>])[] = [
    ['fills', 'Fills', 'each one', () => fillsFile((question) => ask.fills(question), { account, filters: range() })],
    ['pnl', 'Profit and loss', `by ${by}`, async () => pnlFile(await ask.pnl({ by, zone, ...scope() }))],
    [
      ...(['equity', 'Equity', 'point by point'] as const),
      async () => equityFile(await ask.equity({ account, points: MOST_POINTS, ...range() })),
    ],
  ]
  const items: MenuItem[] = files.map(([id, title, note, file]) => ({
    id,
    title,
    note: <span className="muted">{note}</span>,
    onChoose: () => void make(id, file),
  }))
  return (
    <>
      <button
        type="button"
        className="button small"
        disabled={!isConnected || isAsking}
        aria-label={`Files of ${account} as CSV`}
        title={`What ${account} did in this span, as files for spreadsheets`}
        {...popover.button}
      >
        CSV
      </button>
      <Menu popover={popover} label="Files as CSV" items={items} />
    </>
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
