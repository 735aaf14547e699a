// Faults of alerts that fill slots (behaviour 44): bodies that no sound sender sends, against a hook that orders.
import { expect } from 'vitest'
import { tempDirectory } from '../../harness/files/temp-directory.ts'
import { createHook, RunningHookline } from '../../harness/process/hookline.ts'
import { fire, tellStatuses } from './fire-hook.ts'
import { BODIES } from './hostile-bodies.ts'
import { readJournal } from './journal-lines.ts'
import { scenario } from './scenario.ts'
import { healthMs } from './soak-server.ts'

const COMMAND = 'echo {size:usd<=500} {symbol:in(BTCUSDT,ETHUSDT)} {side:in(buy,sell)}'
const HOSTILE = 1_000
const SOUND_EVERY = 50

/** Each is wrong in one value, whatever stands around it. */
const WRONG = {
  size: ['500.01', '0', '-1', '1e2', '0x10', 'NaN', '$5', '5%', '1,000', '@x', '$last', '5 --dry', '9'.repeat(40), '٥'],
  symbol: [
    'DOGEUSDT',
    'BTCUSDT,ETHUSDT',
    'BTCUSDT; nuke',
    '../hooks.json',
    '__proto__',
    'BTCUSDT.P.P',
    '{symbol}',
    '\u202eBTCUSDT',
  ],
  side: ['long', 'buy;', 'buy sell', 'true', ')', '"', '\u0000buy', 'b\u00fcy'],
} as const

const SOUND = { size: '250', symbol: 'BTCUSDT', side: 'buy' }

function* hostileBodies(): Generator<string | Buffer> {
  for (;;) {
    for (const [name, texts] of Object.entries(WRONG)) {
      for (const text of texts) {
        yield JSON.stringify({ ...SOUND, [name]: text })
        yield Object.entries({ ...SOUND, [name]: text })
          .map((pair) => pair.join('='))
          .join('\n')
        yield JSON.stringify({ ...SOUND, [name]: [text] })
        yield `${JSON.stringify(SOUND).slice(0, -1)},"${name}":${JSON.stringify(text)}}`
      }
      yield JSON.stringify({ ...SOUND, [name]: undefined })
    }
    yield* Object.values(BODIES)
    yield `${' '.repeat(65_536)}x`
  }
}

scenario(
  'slots',
  `${HOSTILE} hostile bodies come to a hook with three slots, a sound one behind every ${SOUND_EVERY}`,
  'each hostile one 422, in the journal, and nothing of it runs; each sound one runs once; the same process',
  async () => {
    const directory = tempDirectory()
    const hook = await createHook(directory, 'alert', COMMAND)
    const hookline = await RunningHookline.listening(directory)
    const bodies = hostileBodies()
    const refused: { status: number }[] = []
    const sound: { status: number; runId: string }[] = []
    while (refused.length < HOSTILE) {
      const body = bodies.next().value as string | Buffer
      refused.push(await fire(hook, { body }))
      if (refused.length % SOUND_EVERY === 0) sound.push(await fire(hook, { body: JSON.stringify(SOUND) }))
    }
    const count = (text: string) => hookline.stdout.split(text).length - 1
    await expect.poll(() => count('[hook:alert] $250 BTCUSDT buy\n'), { timeout: 5_000 }).toBe(sound.length)
    await healthMs()
    const printed = count('[hook:alert] $')
    const journal = readJournal(directory)
    const once = sound.filter(({ runId }) => journal.started(runId) === 1).length
    return {
      got: `hostile: ${tellStatuses(refused)}; sound: ${tellStatuses(sound)}, ${once} begun once, ${printed} printed`,
      holds:
        refused.every(({ status }) => status === 422) &&
        sound.every(({ status }) => status === 200) &&
        once === sound.length &&
        printed === sound.length &&
        hookline.stderr === '',
    }
  },
)
