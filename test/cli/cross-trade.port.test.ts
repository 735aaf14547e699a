// Two engines would order everything twice: one of hookline's, and one of a web page, over real sockets and in real processes. And the engine of
// a hookline with a prompt.
import { randomUUID } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { tempDirectory } from '../../harness/files/temp-directory.ts'
import { exec, RunningHookline, run } from '../../harness/process/hookline.ts'
import { COPIES, startEngine } from '../../harness/process/running-engine.ts'
import { ORIGIN, WsClient } from '../../harness/wire/ws-client.ts'
import { openLeadingPages } from '../../src/stores/cross-trade.ts'

/** Two paper accounts of which one copies the other, and a page that is trusted. */
async function stage() {
  const directory = tempDirectory()
  const clientId = randomUUID()
  const client = { clientId, label: 'My tab', origin: ORIGIN, approvedAt: 1 }
  writeFileSync(join(directory, 'trusted-clients.json'), JSON.stringify({ clients: [client] }))
  await exec(directory, 'account add swing paper')
  await exec(directory, 'cross-trade add --master paper --copier swing --enabled')
  const page = async (): Promise<WsClient> => {
    const opened = await WsClient.hello({ clientId, label: 'My tab', webCrossTradeActive: true })
    await opened.nextFrame('welcome')
    return opened
  }
  return { directory, page }
}

describe('a page that leads', () => {
  test('keeps an engine in another process from starting, but for --force, and both sides warn', async () => {
    const { directory, page } = await stage()
    const listener = await RunningHookline.listening(directory)
    const tab = await page()
    // It is kept as the page comes, and nobody waits for that.
    await expect.poll(() => openLeadingPages(directory).read()).toEqual(['My tab'])
    const refused = startEngine(directory)
    expect(await refused.ended).toBe(1)
    expect(refused.said()).toContain('a page leads cross-trading and would copy everything a second time: My tab')
    const forced = startEngine(directory, '--force')
    await forced.until(/a page leads cross-trading too \(My tab\)/)
    await forced.until(COPIES)
    await listener.prints('cross-trading runs twice, here and in a web page (My tab)')
    await tab.leave()
    await forced.until(/no page leads cross-trading any more/)
    await listener.prints('cross-trading runs in one place again')
  })

  test('that comes later is told of by the engine', async () => {
    const { directory, page } = await stage()
    const engine = startEngine(directory)
    await engine.until(COPIES)
    await RunningHookline.listening(directory)
    const tab = await page()
    await engine.until(/a page leads cross-trading too \(My tab\)/)
    await tab.leave()
  })
})

describe('the engine of a hookline with a prompt', () => {
  test('copies until it is stopped, and says at the end what ends', async () => {
    const { directory } = await stage()
    const hookline = new RunningHookline(directory)
    hookline.say('cross-trade start')
    await hookline.prints('the engine runs in this process')
    hookline.say('buy 0.01 BTCUSDT')
    await hookline.prints('swing BTCUSDT: bought 0.01 at ')
    expect((await run(directory, ['cross-trade', 'start'])).stderr).toContain('this process ends with its line')
    const second = startEngine(directory)
    expect(await second.ended).toBe(1)
    expect(second.said()).toContain(`the process with pid ${hookline.pid} already runs the engine`)
    hookline.say('cross-trade stop')
    await hookline.prints('the engine has stopped; copiers keep their positions')
    hookline.say('cross-trade start')
    hookline.say('exit')
    const { stdout, stderr, code } = await hookline.ended()
    expect(code).toBe(0)
    expect(`${stdout}${stderr}`).toContain('the cross-trade engine ends with this process: nothing more is copied')
    expect((await run(directory, ['cross-trade', 'status'])).stdout).toMatch(/^no engine runs/)
  })
})
