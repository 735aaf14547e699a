// What the journal shows: who, where, how it went, since when. All of it is in the address.
import { useEffect, useState } from 'react'
import type { AccountRow, HookRow } from '../../../protocol/frames.ts'
import { OUTCOMES, type RunFilters } from './run-filters.ts'

export interface RunFilterBarProps {
  readonly filters: RunFilters
  readonly onFilter: (filters: RunFilters) => void
  readonly hooks: readonly HookRow[]
  readonly accounts: readonly AccountRow[]
}

const SOURCES = [
  ['hook', 'From hooks'],
  ['repl', 'From the terminal'],
  ['web', 'From pages'],
  ['exec', 'From scripts'],
] as const
const SPAN_WORDS = [
  ['1h', 'Last hour'],
  ['24h', 'Last 24 hours'],
  ['7d', 'Last 7 days'],
  ['30d', 'Last 30 days'],
] as const
/** After the last key. */
const TYPED_MS = 250

export function RunFilterBar({ filters, onFilter, hooks, accounts }: RunFilterBarProps) {
  const set = (name: keyof RunFilters) => (value: string) => onFilter({ ...filters, [name]: value })
  return (
    <search className="filter-bar" aria-label="Filter runs">
      <TypedFilter label="Command, hook or error" value={filters.text ?? ''} onType={set('text')} isFirst />
      <Choice label="Since" any="Any time" value={filters.span} options={SPAN_WORDS} onChoose={set('span')} />
      <Choice
        label="State"
        any="Any state"
        value={filters.state}
        options={OUTCOMES.map(twice)}
        onChoose={set('state')}
      />
      <Choice label="Source" any="From anyone" value={filters.source} options={SOURCES} onChoose={set('source')} />
      <Choice
        label="Hook"
        any="Any hook"
        value={filters.hook}
        options={hooks.map(({ name }) => twice(name))}
        onChoose={set('hook')}
      />
      <Choice
        label="Account"
        any="Any account"
        value={filters.account}
        options={accounts.map(({ name }) => twice(name))}
        onChoose={set('account')}
      />
      <TypedFilter label="Symbol" value={filters.symbol ?? ''} onType={set('symbol')} />
      {Object.keys(filters).length > 0 && (
        <button type="button" className="button small quiet" onClick={() => onFilter({})}>
          Clear
        </button>
      )}
    </search>
  )
}

interface TypedFilterProps {
  readonly label: string
  readonly value: string
  readonly isFirst?: boolean
  readonly onType: (value: string) => void
}

function TypedFilter({ label, value, isFirst, onType }: TypedFilterProps) {
  const [typed, setTyped] = useState(value)
  // The address changed by another hand: a link, the way back, Clear.
  useEffect(() => setTyped(value), [value])
  useEffect(() => {
    if (typed === value) return undefined
    const timer = setTimeout(() => onType(typed), TYPED_MS)
    return () => clearTimeout(timer)
  }, [typed, value, onType])
  return (
    <input
      type="search"
      className={isFirst ? 'wide' : 'symbol'}
      data-filter={isFirst ? '' : undefined}
      aria-label={label}
      placeholder={label}
      maxLength={64}
      autoComplete="off"
      spellCheck={false}
      value={typed}
      onChange={(event) => setTyped(event.target.value)}
    />
  )
}

interface ChoiceProps {
  readonly label: string
  readonly any: string
  readonly value: string | undefined
  readonly options: readonly (readonly [value: string, text: string])[]
  readonly onChoose: (value: string) => void
}

function Choice({ label, any, value = '', options, onChoose }: ChoiceProps) {
  // What the address says is shown, also where it is no longer among them.
  const isKnown = value === '' || options.some(([each]) => each === value)
  return (
    <select aria-label={label} data-set={value !== ''} value={value} onChange={(event) => onChoose(event.target.value)}>
      <option value="">{any}</option>
      {!isKnown && <option>{value}</option>}
      {options.map(([each, text]) => (
        <option key={each} value={each}>
          {text}
        </option>
      ))}
    </select>
  )
}

function twice(text: string): readonly [string, string] {
  return [text, text]
}
