// A page under a flood of output: nothing is lost or counted wrongly, what a person does goes on, and neither the page nor its memory grows. How fast it
// all is, the bench says (`npm run bench -- desk`).
import type { Page, WebSocket } from 'playwright-core'
import { describe, expect } from 'vitest'
import type { ConsolePage } from './console-page.ts'
import { it, type Stage } from './stage.ts'

const NOISY = ['noise-1', 'noise-2', 'noise-3', 'noise-4']
const LINES = 25
const ROUNDS = 40
/** What one fire prints. */
const PRINTED = LINES * ROUNDS
const ROW_PX = 19
/** What the terminal holds at most (output-log.ts). */
const HELD = 5_000
const MAX_HEAP_BYTES = 60_000_000

function writeHooks(stage: Stage): void {
  const lines = Array.from({ length: LINES }, (_, index) => `echo line ${index}`).join('; ')
  const commands = [...NOISY.map((name) => [name, `repeat ${ROUNDS} (${lines}; sleep 50ms)`]), ['mark', 'echo MARK']]
  const hooks = commands.map(([name, command], index) => ({
    id: String(index + 1).repeat(32),
    name,
    secret: 'a'.repeat(32),
    command,
    createdAt: 1,
  }))
  stage.writeJson('hooks.json', { hooks })
}

/** Notes the markets that the page watches at the time, how many lines of output come, and how many runs have ended. */
function listen(page: Page) {
  const heard = { markets: 0, lines: 0, done: 0 }
  page.on('websocket', (socket: WebSocket) => {
    socket.on('framesent', ({ payload }) => {
      if (String(payload).includes('"t":"market:watch"')) heard.markets++
      if (String(payload).includes('"t":"market:unwatch"')) heard.markets--
    })
    socket.on('framereceived', ({ payload }) => {
      const text = String(payload)
      if (text.startsWith('{"t":"cmd:output"')) heard.lines += text.split('"text":').length - 1
      if (text.startsWith('{"t":"cmd:done"')) heard.done++
    })
  })
  return heard
}

/** The lines that the terminal holds and its filter lets through: every one is a row high. */
async function heldLines({ page }: ConsolePage): Promise<number> {
  return (await page.evaluate<number>(`document.querySelector('.transcript-lines').offsetHeight`)) / ROW_PX
}

async function memoryOf({ page }: ConsolePage): Promise<{ heap: number; elements: number }> {
  const session = await page.context().newCDPSession(page)
  await session.send('HeapProfiler.collectGarbage')
  const { usedSize } = await session.send('Runtime.getHeapUsage')
  return { heap: usedSize, elements: await page.evaluate<number>(`document.querySelectorAll('*').length`) }
}

describe('while hooks print thousands of lines', () => {
  it('no line is lost, what is typed and what else fires shows, the page stays as small as it was, and a market is watched once', async ({
    stage,
  }) => {
    writeHooks(stage)
    let heard = { markets: 0, lines: 0, done: 0 }
    const prepare = async (page: Page) => {
      heard = listen(page)
    }
    const { console } = await stage.openPaired({ prepare })
    await console.page.getByRole('img', { name: /^Candles of/ }).waitFor()
    await console.openTerminal()
    const before = await memoryOf(console)
    await console.press('Find')
    const find = console.page.getByRole('textbox', { name: 'Find in what the terminal shows' })
    await find.fill('MARK')
    const fires = NOISY.map((name) => stage.fire(name))
    await expect.poll(() => heard.lines).toBeGreaterThan(100)
    await stage.fire('mark')
    await console.type('buy')
    await console.prints(/^\[hook:mark\] MARK$/)
    expect(await console.typedRow()).toMatch(/> buy$/)
    await Promise.all(fires)
    await expect.poll(() => heard.done, { timeout: 15_000 }).toBe(NOISY.length + 1)
    expect(heard.lines).toBe(NOISY.length * PRINTED + 1)
    for (const name of NOISY) {
      await find.fill(`[hook:${name}]`)
      await expect.poll(() => heldLines(console)).toBe(PRINTED)
    }
    await find.press('Escape')
    await Promise.all(NOISY.map((name) => stage.fire(name)))
    await expect.poll(() => heard.done, { timeout: 15_000 }).toBe(2 * NOISY.length + 1)
    await expect.poll(() => heldLines(console)).toBe(HELD)
    const after = await memoryOf(console)
    expect(after.heap).toBeLessThan(MAX_HEAP_BYTES)
    // A window of rows and the fires behind the bell, whatever came.
    expect(after.elements - before.elements).toBeLessThan(400)
    await console.goToPage('Hooks')
    await console.goToPage('Trade')
    await console.page.getByRole('img', { name: /^Candles of/ }).waitFor()
    expect(heard.markets).toBe(1)
  })
})
