// The symbols to choose from: favourites first, what is traded here, and whatever of the account's markets fits what is typed.
import { type FormEvent, useEffect, useState } from 'react'
import { Menu, type MenuItem, type usePopover } from '../components/popover.tsx'
import { focusOf, scopeOf } from '../console-state.ts'
import { useConsole, useDeskParts } from '../use-console.ts'
import { toggleFavourite, useFavourites } from './favourites.ts'
import { knownSymbols, useGoToSymbol } from './go-to-symbol.ts'
import { fittingSymbols } from './symbol-search.ts'

const PAUSE_MS = 150
const VERB = 'symbol '

export interface SymbolMenuProps {
  readonly popover: ReturnType<typeof usePopover>
  readonly shown: string
}

export function SymbolMenu({ popover, shown }: SymbolMenuProps) {
  const [typed, setTyped] = useState('')
  const go = useGoToSymbol()
  const state = useDeskParts('focus', 'portfolio', 'tasks', 'chosen')
  const favourites = useFavourites(({ symbols }) => symbols)
  const wanted = typed.trim().toUpperCase()
  const listed = useListedSymbols(wanted, popover.isOpen)
  const items: MenuItem[] = fittingSymbols({ wanted, favourites, known: knownSymbols(state), listed }).map(
    (symbol) => ({
      id: symbol,
      title: symbol,
      ...(favourites.includes(symbol) && { note: <span title="Favourite">★</span> }),
      isChosen: symbol === shown,
      onChoose: () => go(symbol),
    }),
  )
  const isFavourite = favourites.includes(shown)
  items.push({
    id: ' favourite',
    title: isFavourite ? `Take ${shown} out of the favourites` : `Add ${shown} to the favourites`,
    note: <span aria-hidden="true">{isFavourite ? '★' : '☆'}</span>,
    onChoose: () => toggleFavourite(shown),
  })
  if (state.chosen.symbol !== undefined) {
    const focus = focusOf(state)?.symbol ?? 'unknown'
    items.push({ id: ' follow', title: `Follow the terminal (${focus})`, onChoose: () => go(undefined) })
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    popover.close()
    if (wanted !== '') go(wanted)
    setTyped('')
  }
  return (
    <Menu popover={popover} label="Symbol of this tab" items={items}>
      <form onSubmit={submit}>
        <input
          autoFocus
          aria-label="Symbol"
          placeholder="Symbol, such as ETHUSDT"
          autoComplete="off"
          spellCheck={false}
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
        />
      </form>
    </Menu>
  )
}

/** Markets of the account that begin with what is typed, as hookline completes them. */
function useListedSymbols(wanted: string, isOpen: boolean): readonly string[] {
  const console = useConsole()
  const [listed, setListed] = useState<readonly string[]>([])
  useEffect(() => {
    if (!isOpen) return undefined
    let isOver = false
    const ask = async () => {
      const line = VERB + wanted
      const scope = scopeOf(console.getState())
      // A hookline that does not complete leaves what is known here.
      const answer = await console.ask.complete({ line, cursor: line.length, ...scope }).catch(() => undefined)
      if (!isOver) setListed(answer?.items.map(({ label }) => label) ?? [])
    }
    const pause = setTimeout(() => void ask(), PAUSE_MS)
    return () => {
      isOver = true
      clearTimeout(pause)
    }
  }, [console, wanted, isOpen])
  return listed
}
