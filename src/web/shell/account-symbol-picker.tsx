// Which account and which symbol commands of this tab run on: shown in the header, chosen there. The operator's own focus stays as it is.
import { type FormEvent, useEffect, useRef, useState } from 'react'
import { useLocation } from 'wouter'
import { create } from 'zustand'
import { readJson, writeJson } from '../../client/text-storage.ts'
import { Icon } from '../components/icon.tsx'
import { Menu, type MenuItem, usePopover } from '../components/popover.tsx'
import { type ConsoleState, focusOf, scopeOf } from '../state/console-state.ts'
import { useConsole, useDeskParts } from '../state/use-console.ts'
import { placeOf, tradePath } from './routes.ts'

export function AccountSwitch() {
  const console = useConsole()
  const popover = usePopover()
  const [, navigate] = useLocation()
  const state = useDeskParts('accounts', 'focus', 'portfolio', 'chosen')
  const scope = scopeOf(state)
  if (scope === undefined) return null
  const row = state.accounts?.find(({ name }) => name === scope.account)
  const kind = row === undefined ? '' : describeAccount(row)
  const items: MenuItem[] = (state.accounts ?? []).map((account) => ({
    id: account.name,
    title: account.name,
    note: describeAccount(account),
    isChosen: account.name === scope.account,
    onChoose: () => console.choose({ account: account.name }),
  }))
  const focus = focusOf(state)?.account
  if (state.chosen.account !== undefined)
    items.push({
      id: ' follow',
      title: `Follow the terminal (${focus ?? 'unknown'})`,
      onChoose: () => console.choose({ account: undefined }),
    })
  items.push({ id: ' settings', title: 'Accounts and settings', onChoose: () => navigate('/settings/accounts') })
  return (
    <>
      <button
        type="button"
        className="round at-start row scope"
        data-switch="account"
        title="Account of this tab (G A)"
        {...popover.button}
      >
        <span className="raised rigid circle text-1 centred grid muted scope-letter" aria-hidden="true">
          {scope.account.charAt(0).toUpperCase()}
        </span>
        <span className="gap-0 grid scope-text">
          <span className="visually-hidden">Account </span>
          <b className="cut">{scope.account}</b>
          <span className="text-1 muted cut">{kind}</span>
        </span>
        <span className="chevron">
          <Icon name="chevron" size={16} />
        </span>
      </button>
      <Menu popover={popover} label="Account of this tab" items={items}>
        <p className="text-1 muted menu-title">Commands of this tab run on</p>
      </Menu>
    </>
  )
}

function describeAccount({ exchange, kind, demo }: NonNullable<ConsoleState['accounts']>[number]): string {
  if (exchange === 'paper') return 'simulated'
  return [exchange, kind, demo && 'demo'].filter(Boolean).join(' ')
}

export function SymbolSwitch() {
  const popover = usePopover()
  const state = useDeskParts('focus', 'portfolio', 'chosen')
  const scope = scopeOf(state)
  if (scope === undefined) return null
  return (
    <>
      <button
        type="button"
        className="round at-start row scope"
        data-switch="symbol"
        title="Symbol of this tab (S)"
        {...popover.button}
      >
        <span className="raised rigid circle text-1 centred grid muted scope-letter" aria-hidden="true">
          {scope.symbol.charAt(0)}
        </span>
        <span className="gap-0 grid scope-text">
          <span className="visually-hidden">Symbol </span>
          <b className="cut">{scope.symbol}</b>
        </span>
        <span className="chevron">
          <Icon name="chevron" size={16} />
        </span>
      </button>
      <SymbolMenu popover={popover} shown={scope.symbol} />
    </>
  )
}

const PAUSE_MS = 150
const VERB = 'symbol '

interface SymbolMenuProps {
  readonly popover: ReturnType<typeof usePopover>
  readonly shown: string
}

function SymbolMenu({ popover, shown }: SymbolMenuProps) {
  const console = useConsole()
  const [typed, setTyped] = useState('')
  const [unlisted, setUnlisted] = useState<string>()
  const go = useGoToSymbol()
  const state = useDeskParts('focus', 'portfolio', 'tasks', 'chosen')
  const favourites = useFavourites(({ symbols }) => symbols)
  const wanted = typed.trim().toUpperCase()
  const listed = useListedSymbols(wanted, popover.isOpen)
  const known = knownSymbols(state)
  const now = useRef({ wanted, isOpen: popover.isOpen })
  now.current = { wanted, isOpen: popover.isOpen }
  const items: MenuItem[] = fittingSymbols({ wanted, favourites, known, listed }).map((symbol) => ({
    id: symbol,
    title: symbol,
    ...(favourites.includes(symbol) && { note: <span title="Favourite">★</span> }),
    isChosen: symbol === shown,
    onChoose: () => go(symbol),
  }))
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
    if (wanted === '') popover.close()
    else void take()
  }
  /** The list on the screen may be of what was typed before. */
  const take = async () => {
    const symbol = await symbolToTake({ wanted, favourites, known, ask: (word) => askForSymbols(console, word) })
    if (!now.current.isOpen || now.current.wanted !== wanted) return
    if (symbol === undefined) return setUnlisted(wanted)
    popover.close()
    go(symbol)
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
      <div role="status">
        {unlisted !== undefined && unlisted === wanted && (
          <p className="text-2 toned warn menu-title">{`No symbol ${wanted}.`}</p>
        )}
      </div>
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
      const symbols = await askForSymbols(console, wanted)
      if (!isOver) setListed(symbols)
    }
    const pause = setTimeout(() => void ask(), PAUSE_MS)
    return () => {
      isOver = true
      clearTimeout(pause)
    }
  }, [console, wanted, isOpen])
  return listed
}

/** @returns none where hookline does not complete */
export async function askForSymbols(
  console: ReturnType<typeof useConsole>,
  wanted: string,
): Promise<readonly string[]> {
  const line = VERB + wanted
  const scope = scopeOf(console.getState())
  const answer = await console.ask.complete({ line, cursor: line.length, ...scope }).catch(() => undefined)
  return answer?.items.map(({ label }) => label) ?? []
}

// --- symbols: which are known, which are offered

/** Goes to the symbol: in the address on Trade, otherwise for the tab. */
export function useGoToSymbol(): (symbol: string | undefined, options?: { readonly replace: boolean }) => void {
  const console = useConsole()
  const [path, navigate] = useLocation()
  return (symbol, options) => {
    console.choose({ symbol })
    if (placeOf(path) === 'trade') navigate(tradePath(symbol), options)
  }
}

export function knownSymbols(state: Pick<ConsoleState, 'focus' | 'portfolio' | 'tasks'>): readonly string[] {
  const rows = [...(state.portfolio?.positions ?? []), ...(state.portfolio?.orders ?? []), ...(state.tasks ?? [])]
  const focus = focusOf(state)?.symbol
  return [...new Set([...(focus === undefined ? [] : [focus]), ...rows.map(({ symbol }) => symbol)])].sort()
}

interface SymbolsToOffer {
  /** In capitals; empty: nothing is typed. */
  readonly wanted: string
  readonly favourites: readonly string[]
  /** Symbols of positions, orders and tasks. */
  readonly known: readonly string[]
  /** Of the account's markets. */
  readonly listed: readonly string[]
}

const MAX_OFFERED = 12

/** Favourites, then what is traded here, then the rest; what begins with what is typed comes before what only has it somewhere. */
export function fittingSymbols({ wanted, favourites, known, listed }: SymbolsToOffer): readonly string[] {
  const all = [...new Set([...favourites, ...known, ...listed])]
  const fitting = all.filter((symbol) => symbol.toUpperCase().includes(wanted))
  const rank = (symbol: string) => (symbol.toUpperCase().startsWith(wanted) ? 0 : 1)
  return fitting.sort((a, b) => rank(a) - rank(b)).slice(0, MAX_OFFERED)
}

interface SymbolToTake extends Omit<SymbolsToOffer, 'listed'> {
  /** The account's markets that begin with a word. */
  ask(word: string): Promise<readonly string[]>
}

/** What Enter takes: the symbol itself, or the first match that the account's venue lists. Where no market is known, what is typed. @returns undefined: there is none */
export async function symbolToTake({ wanted, favourites, known, ask }: SymbolToTake): Promise<string | undefined> {
  const listed = await ask(wanted)
  const fitting = fittingSymbols({ wanted, favourites, known, listed })
  const match =
    listed.find((symbol) => symbol.toUpperCase() === wanted) ?? fitting.find((symbol) => listed.includes(symbol))
  if (match !== undefined) return match
  const [inside] = fitting
  if (inside !== undefined && (await ask(inside)).includes(inside)) return inside
  return (await ask('')).length === 0 ? wanted : undefined
}

const KEY = 'hookline.favourites'
const MAX_FAVOURITES = 50

interface Favourites {
  /** As they were chosen. */
  readonly symbols: readonly string[]
}

export const useFavourites = create<Favourites>(() => {
  const kept = readJson(KEY)
  const symbols = Array.isArray(kept) ? kept.filter((each): each is string => typeof each === 'string') : []
  return { symbols: symbols.slice(-MAX_FAVOURITES) }
})

export function toggleFavourite(symbol: string): void {
  const { symbols } = useFavourites.getState()
  const isOne = symbols.includes(symbol)
  const next = isOne ? symbols.filter((each) => each !== symbol) : [...symbols, symbol].slice(-MAX_FAVOURITES)
  useFavourites.setState({ symbols: next })
  writeJson(KEY, next)
}
