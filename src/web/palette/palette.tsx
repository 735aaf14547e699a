// Find or run: lines for the terminal, pages, symbols, hooks, runs. Nothing runs from here: a line is put into the terminal to be looked at.
import { Command, defaultFilter, useCommandState } from 'cmdk'
import { type RefObject, useEffect, useLayoutEffect, useRef } from 'react'
import { useLocation } from 'wouter'
import type { Portfolio } from '../../protocol/frames.ts'
import { Icon, type IconName } from '../components/icon.tsx'
import { showFigure, showTime } from '../figures.ts'
import { closeLine } from '../pages/trade/position-lines.ts'
import { knownSymbols, useGoToSymbol } from '../shell/account-symbol-picker.tsx'
import { PLACES } from '../shell/routes.ts'
import { hookName } from '../state/console-state.ts'
import { propose } from '../state/desk-store.ts'
import { layOut, PRESETS } from '../state/layout.ts'
import { useDeskParts } from '../state/use-console.ts'

interface Entry {
  readonly id: string
  readonly group: string
  readonly icon: IconName
  readonly title: string
  readonly note: string
  choose(): void
}

interface PaletteProps {
  readonly typed: string
  readonly placeholder: string
  readonly onType: (typed: string) => void
  /** Enter was pressed before this was there: the first that is found is taken. */
  readonly isEntered: boolean
  readonly onClose: () => void
}

export default function Palette({ typed, placeholder, isEntered, onType, onClose }: PaletteProps) {
  const field = useFieldTakenOver()
  const entries = useEntries(typed)
  const groups = [...new Set(entries.map(({ group }) => group))]
  return (
    <Command label="Find or run" loop filter={rankOf}>
      <div className="row palette-field">
        <Icon name="search" size={18} />
        <Command.Input
          className="bare fill text-4"
          data-first
          ref={field}
          value={typed}
          onValueChange={onType}
          placeholder={placeholder}
        />
      </div>
      {isEntered && <TakeFirst typed={typed} field={field} />}
      <Command.List>
        <Command.Empty>No match.</Command.Empty>
        {groups.map((group) => (
          <Command.Group key={group} heading={group}>
            {entries
              .filter((each) => each.group === group)
              .map(({ id, icon, title, note, choose }) => (
                <Command.Item
                  className="row"
                  key={id}
                  value={id}
                  keywords={[title, note]}
                  onSelect={() => {
                    onClose()
                    choose()
                  }}
                >
                  <Icon name={icon} size={16} />
                  <span className="fill cut">{title}</span>
                  <code className="muted cut">{note}</code>
                </Command.Item>
              ))}
          </Command.Group>
        ))}
      </Command.List>
    </Command>
  )
}

interface TakeFirstProps {
  readonly typed: string
  readonly field: RefObject<HTMLInputElement | null>
}

/** Once what was typed has been looked for, and not what is shown to a field that is still empty. */
function TakeFirst({ typed, field }: TakeFirstProps) {
  const isFound = useCommandState(({ search }) => search === typed)
  useEffect(() => {
    if (!isFound) return undefined
    const frame = requestAnimationFrame(() =>
      field.current?.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true })),
    )
    return () => cancelAnimationFrame(frame)
  }, [isFound, field])
  return null
}

/** From the field that took what was typed before this one was there: what comes next goes on at its end. */
function useFieldTakenOver() {
  const field = useRef<HTMLInputElement>(null)
  useLayoutEffect(() => {
    const { current } = field
    current?.focus({ preventScroll: true })
    current?.setSelectionRange(current.value.length, current.value.length)
  }, [])
  return field
}

function useEntries(typed: string): readonly Entry[] {
  const state = useDeskParts('portfolio', 'focus', 'chosen', 'tasks', 'hooks', 'hookRuns', 'hookLines')
  const goToSymbol = useGoToSymbol()
  const [, navigate] = useLocation()
  const lines = linesFor(typed, state.portfolio).map(
    ({ title, line }): Entry => ({
      id: lineId(line),
      group: 'Put into the terminal',
      icon: 'prompt',
      title,
      note: line,
      choose: () => propose(line),
    }),
  )
  const pages = PLACES.map(
    ({ id, title, icon, key }): Entry => ({
      id: `page ${id}`,
      group: 'Go to',
      icon,
      title,
      note: `G ${key.toUpperCase()}`,
      choose: () => navigate(`/${id}`),
    }),
  )
  const symbols = knownSymbols(state).map(
    (symbol): Entry => ({
      id: `symbol ${symbol}`,
      group: 'Go to',
      icon: 'trade',
      title: symbol,
      note: 'symbol of this tab',
      choose: () => goToSymbol(symbol),
    }),
  )
  const layouts = PRESETS.map(
    ({ id, title, sizes }): Entry => ({
      id: `layout ${id}`,
      group: 'Panes of Trade',
      icon: 'trade',
      title,
      note: 'kept in this browser',
      choose: () => {
        layOut(sizes)
        navigate('/trade')
      },
    }),
  )
  const hooks = (state.hooks ?? []).map(
    ({ id, name, command }): Entry => ({
      id: `hook ${id}`,
      group: 'Hooks',
      icon: 'hooks',
      title: name,
      note: command,
      choose: () => navigate(`/hooks/${encodeURIComponent(name)}`),
    }),
  )
  const runs = state.hookRuns.map(
    ({ runId, hookId, at }): Entry => ({
      id: `run ${runId}`,
      group: 'Journal',
      icon: 'clock',
      title: `${showTime(at, Date.now())} ${hookName(state.hooks, hookId) ?? 'a hook'}`,
      note: state.hookLines.get(runId)?.[0]?.text ?? '',
      choose: () => navigate(`/journal/${runId}`),
    }),
  )
  const others = [...pages, ...symbols, ...hooks, ...runs, ...layouts]
  // The name of a page or a layout is a search, not a line to run.
  const own = typed.trim().toLowerCase()
  const isName = others.some(({ title }) => title.toLowerCase().startsWith(own))
  return [...lines.filter(({ title }) => !isName || title.toLowerCase() !== own), ...others]
}

// --- the lines that it offers: what is typed, and what can be done with a position

interface OfferedLine {
  readonly title: string
  readonly line: string
}

const READING: readonly OfferedLine[] = [
  { title: 'Show positions', line: 'positions' },
  { title: 'Show orders', line: 'orders' },
  { title: 'Show the last runs', line: 'runs' },
  { title: 'Show what is switched off', line: 'status' },
]

export function linesFor(typed: string, portfolio: Portfolio | undefined): readonly OfferedLine[] {
  const own = typed.trim()
  const held = (portfolio?.positions ?? []).flatMap(({ symbol, side, amount }) => [
    ...offered(`Close the ${symbol} ${side}, ${showFigure(amount)}`, closeLine({ symbol })),
    ...offered(`Close half of ${symbol}`, closeLine({ symbol }, '50')),
  ])
  // Only what could be a command: a word alone is more likely looked for.
  const asTyped = own.includes(' ') ? [{ title: own, line: own }] : []
  return [...asTyped.filter(({ line }) => held.every((each) => each.line !== line)), ...held, ...READING]
}

/** A line that cannot be typed is not offered. */
function offered(title: string, line: string | undefined): readonly OfferedLine[] {
  return line === undefined ? [] : [{ title, line }]
}

// --- their order, and so what Enter takes

/** Below a line that has every word that was typed, above one that has some of its letters. */
const AS_TYPED = 0.5

export const lineId = (line: string) => `line ${line}`

/**
 * With a space in it, what is typed is a line rather than a name: it comes after lines that say the same in more words, and before pages, hooks
 * and runs, however well they match.
 * @param id of an entry; a line's is {@link lineId} @returns 0 to 1; 0 is not shown
 */
export function rankOf(id: string, typed: string, keywords: readonly string[] = []): number {
  const own = typed.trim()
  const score = defaultFilter(id, typed, [...keywords])
  if (!own.includes(' ')) return score
  if (id === lineId(own)) return AS_TYPED
  return id.startsWith(lineId('')) ? score : score * 0.9 * AS_TYPED
}
