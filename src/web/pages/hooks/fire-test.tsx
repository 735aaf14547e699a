// A fire that is tried: what it would order, refused or not, as hookline works it out. And the real one, after a question.
import { useState } from 'react'
import { ClientError } from '../../../client/client-error.ts'
import { type SlotValues, sampleValues } from '../../../language/hook-chain.ts'
import type { HookRow } from '../../../protocol/frames.ts'
import type { Preview } from '../../../protocol/preview.ts'
import { useConfirm } from '../../components/confirm.tsx'
import { isLive } from '../../console-state.ts'
import { FirePreview } from '../../preview/line-preview.tsx'
import { useConsole, useDesk } from '../../use-console.ts'
import { FireOutcome } from './fire-outcome.tsx'
import { Block } from './hook-block.tsx'
import { bodyOf, fireLine, slotsOf, testLine } from './hook-lines.ts'
import { CopyHere, LineHere } from './run-here.tsx'
import { SlotInputs } from './slot-inputs.tsx'

interface Told {
  /** What it was asked of. */
  readonly key: string
  readonly preview?: Preview
  readonly problem?: string
}

export function FireTest({ hook }: { readonly hook: HookRow }) {
  const slots = slotsOf(hook.command)
  const [values, setValues] = useState<SlotValues>(() => sampleValues(slots)[0] ?? {})
  const isUsable = useDesk(isLive)
  // Only what the command has now: it may be edited meanwhile.
  const filled = Object.fromEntries(slots.map(({ name }) => [name, values[name] ?? '']))
  const body = slots.length === 0 ? undefined : bodyOf(filled)
  const { told, isAsking, ask } = useTest(hook, body)
  const line = testLine(hook, filled)
  return (
    <Block title="Test fire">
      <p className="muted">What a fire would do now, its limits counted in. Nothing is sent.</p>
      <SlotInputs slots={slots} values={filled} onChange={setValues} />
      <LineHere line={line} />
      <div className="run-here-actions">
        <button type="button" className="button small" disabled={!isUsable || isAsking} onClick={() => void ask()}>
          Test
        </button>
        <CopyHere line={line} label="Test" />
        <FireNow hook={hook} body={body} line={fireLine(hook, filled)} />
      </div>
      <div role="status" aria-label="Outcome of the test">
        {told?.problem !== undefined && <p className="run-error">{told.problem}</p>}
        {told?.preview && <FireOutcome preview={told.preview} />}
      </div>
    </Block>
  )
}

interface FireNowProps {
  readonly hook: HookRow
  readonly body: string | undefined
  readonly line: string
}

function FireNow({ hook, body, line }: FireNowProps) {
  const console = useConsole()
  const confirm = useConfirm()
  const isUsable = useDesk(isLive)
  const fire = async () => {
    const isSure = await confirm({
      title: `Fire ${hook.name} now?`,
      body: (
        <>
          <p>This is a real fire: its limits count it, and its orders are sent.</p>
          <FirePreview hook={hook} body={body} line={line} />
        </>
      ),
      yes: 'Fire',
      no: 'Send nothing',
      isDestructive: true,
    })
    if (isSure) await console.runFromPanel(line)
  }
  return (
    <button type="button" className="button small danger" disabled={!isUsable} onClick={() => void fire()}>
      Fire now
    </button>
  )
}

/** An answer is shown for as long as nothing that it was asked of has changed. */
function useTest({ id, command, account, limits, paused, dry }: HookRow, body: string | undefined) {
  const { looks } = useConsole()
  const [told, setTold] = useState<Told>()
  const [isAsking, setAsking] = useState(false)
  const key = JSON.stringify([id, command, account, limits, paused, dry, body])
  const ask = async () => {
    setAsking(true)
    const answer = await looks.testHook(id, body).then(
      (preview) => ({ preview }),
      (error: unknown) => {
        if (!(error instanceof ClientError)) throw error
        return { problem: error.message }
      },
    )
    setAsking(false)
    setTold({ key, ...answer })
  }
  return { told: told?.key === key ? told : undefined, isAsking, ask }
}
