// One pair: how it is, its fields, and what may be done with it. On a narrow window it is a screen of its own.
import { useEffect, useState } from 'react'
import { typedLine } from '../../../language/print.ts'
import { Empty } from '../../components/empty.tsx'
import { Pane } from '../../components/pane.tsx'
import type { CrossTrade } from '../../console-state.ts'
import { LineToType } from '../settings/line-to-type.tsx'
import { RemovePair, TurnRowOff, useWhyNot } from './copy-actions.tsx'
import { enableLine } from './copy-lines.ts'
import { addLine, type Draft, draftOf, newDraft } from './pair-draft.ts'
import { PairFacts } from './pair-facts.tsx'
import { PairForm } from './pair-form.tsx'
import { type Pair, standingOf } from './pairs.ts'
import { type Saving, usePairSave } from './use-pair-save.ts'
import type { PairView } from './use-pair-view.ts'

export interface PairPaneProps {
  readonly engine: CrossTrade | undefined
  readonly pairs: readonly Pair[]
  readonly view: PairView
}

export function PairPane({ engine, pairs, view }: PairPaneProps) {
  const pair = pairs.find(({ key }) => key === view.open)
  const close = (
    <button type="button" className="button small" onClick={view.close}>
      Close
    </button>
  )
  return (
    <Pane id="pair" title={pair === undefined ? 'New pair' : nameOf(pair)} actions={close}>
      {view.adding !== undefined && <NewPair from={view.adding} view={view} />}
      {pair !== undefined && <OpenPair pair={pair} isRunning={engine?.running === true} view={view} />}
      {view.open !== undefined && pair === undefined && engine !== undefined && (
        <Empty title="This pair is gone">Somebody has removed it. What its copier holds stays.</Empty>
      )}
    </Pane>
  )
}

/** `paper BTCUSDT → swing`. */
function nameOf({ row: { masterAccount, masterSymbol }, copier }: Pair): string {
  const onto = copier.symbol === undefined ? '' : ` ${copier.symbol}`
  return `${masterAccount}${masterSymbol === undefined ? '' : ` ${masterSymbol}`} → ${copier.account}${onto}`
}

function NewPair({ from, view }: { readonly from: Partial<Draft>; readonly view: PairView }) {
  const [draft, setDraft] = useState(() => newDraft(from))
  const { problems, saving, save } = usePairSave(draft, undefined)
  const line = addLine(draft)
  const create = async () => {
    const key = await save()
    if (key !== undefined) view.show(key)
  }
  return (
    <PairForm draft={draft} isNew problems={problems} onChange={setDraft} onSubmit={() => void create()}>
      {line !== undefined && <LineToType line={line} says="The same in the hookline terminal:" />}
      <p className="hint pair-hint">A new pair is off. Only the hookline terminal turns it on.</p>
      <Save title="Add the pair" saving={saving} isReady={line !== undefined && problems.length === 0} />
    </PairForm>
  )
}

interface OpenPairProps {
  readonly pair: Pair
  readonly isRunning: boolean
  readonly view: PairView
}

function OpenPair({ pair, isRunning, view }: OpenPairProps) {
  const stored = draftOf(pair)
  // What is typed goes over what is stored; once they are the same, an edit made elsewhere shows.
  const [typed, setTyped] = useState<Partial<Draft>>({})
  const draft = { ...stored, ...typed }
  const { problems, saving, save } = usePairSave(draft, pair.row.id)
  const isChanged = FIELDS.some((field) => !isSame(stored[field], draft[field]))
  useEffect(() => {
    if (!isChanged) setTyped({})
  }, [isChanged])
  const { tone, word } = standingOf(pair, isRunning)
  return (
    <>
      <p className="engine-line">
        <span className={`tag ${tone}`}>{word}</span>
        <span className="muted">{othersInRow(pair)}</span>
      </p>
      <PairFacts pair={pair} isRunning={isRunning} />
      <PairForm draft={draft} isNew={false} problems={problems} onChange={setTyped} onSubmit={() => void save()}>
        {pair.row.enabled && isChanged && (
          <p className="hint pair-hint">Nothing is traded for the change: it counts from the master’s next one on.</p>
        )}
        <Save title="Save the change" saving={saving} isReady={isChanged && problems.length === 0} />
      </PairForm>
      <div className="pair-ends">
        <TurnRowOff row={pair.row} />
        <RemovePair pair={pair} name={nameOf(pair)} onRemoved={view.close} />
      </div>
      {!pair.row.enabled && <LineToType line={enableLine(pair.row)} says="To turn it on, in the hookline terminal:" />}
      {pair.waits !== undefined && (
        <LineToType line={enableLine(pair.row)} says="It copies after a yes in the hookline terminal:" />
      )}
      {word === 'paused' && <LineToType line={enableLine(pair.row)} says="To wake it, in the hookline terminal:" />}
      {pair.row.enabled && pair.waits === undefined && isRunning && word !== 'in step' && (
        <LineToType
          line={typedLine`cross-trade resync ${pair.row.id.slice(0, 8)}`}
          says="To close the gap, in the hookline terminal:"
        />
      )}
    </>
  )
}

/** Turning off goes for the whole row. */
function othersInRow({ row: { copiers } }: Pair): string {
  if (copiers.length === 1) return ''
  return copiers.length === 2 ? 'One more account copies by this row.' : `${copiers.length - 1} more copy by this row.`
}

const FIELDS = Object.keys(newDraft({})) as (keyof Draft)[]

/** `0.50` is what was stored as `0.5`. */
function isSame(a: string, b: string): boolean {
  return a === b || (/\d/.test(a) && /\d/.test(b) && Number(a) === Number(b))
}

const SAID: Readonly<Record<Exclude<Saving['state'], 'failed'>, string>> = {
  idle: '',
  saving: 'Saving.',
  waiting: 'Waiting for hookline. If its terminal asks, answer there.',
  saved: 'Saved.',
}

function Save({
  title,
  saving,
  isReady,
}: {
  readonly title: string
  readonly saving: Saving
  readonly isReady: boolean
}) {
  const whyNot = useWhyNot('connection')
  const isBusy = saving.state === 'saving' || saving.state === 'waiting'
  return (
    <div className="pair-save">
      <button
        type="submit"
        className="button primary"
        disabled={!isReady || isBusy || whyNot !== undefined}
        title={whyNot}
      >
        {title}
      </button>
      <p role="status" className={saving.state === 'failed' ? 'field-problem' : 'muted'}>
        {saving.state === 'failed' ? saving.why : SAID[saving.state]}
      </p>
    </div>
  )
}
