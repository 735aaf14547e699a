// The page knows its hookline by the key by which it proves itself; what answers on the port without it gets a hello and nothing more.
import { describe, expect } from 'vitest'
import { tempDirectory } from '../harness/files/temp-directory.ts'
import { startSquatter } from '../harness/process/squatter.ts'
import { PANES } from './console-page.ts'
import { answer, isAsked, questions } from './operator.ts'
import { it, NO_HOOKLINE, NO_SERVERS, type Stage } from './stage.ts'

/** A page that knows one hookline, where another installation now has the port. */
async function swapHooklines(stage: Stage) {
  const { hookline, console } = await stage.openPaired({ expects: NO_SERVERS })
  await console.run('buy $100 BTCUSDT')
  await console.position('BTCUSDT').waitFor()
  hookline.signal('SIGTERM')
  await hookline.exit()
  // The console at that address is the other's too: a page of the first one's is given out anew.
  await stage.stopWeb()
  const directory = tempDirectory()
  const other = await stage.startHookline(directory)
  await console.badgeSays('Another hookline')
  return { console, other, known: stage.keyTail(), answered: stage.keyTail(directory) }
}

describe('a page that another hookline answers', () => {
  it('shows both keys and nothing of the other, whose operator is not asked, and stays away when told to', async ({
    stage,
  }) => {
    const { console, other, known, answered } = await swapHooklines(stage)
    const advice = await console.advice()
    await expect.poll(() => advice.getByRole('definition').allTextContents()).toEqual([known, answered])
    expect(known).not.toBe(answered)
    expect(questions(other)).toBe(0)
    for (const pane of PANES) {
      await (await console.open(pane)).getByText('appear once this page is connected to hookline').waitFor()
    }
    await console.follow('Stay away')
    await console.badgeSays('Not connected')
    await console.reload()
    await console.badgeSays('Another hookline')
  })

  it('goes home by itself once the right one is back, and offers to look at once', async ({ stage }) => {
    const { console, other } = await swapHooklines(stage)
    await console.page.getByText('This is not the hookline this browser knows.').waitFor()
    await console.press('Check again')
    await (await console.advice()).getByText('Every 2 s this page checks').waitFor()
    await console.follow('Check again')
    await console.badgeSays('Another hookline')
    other.send('exit\r')
    await other.exit()
    const back = await stage.startHookline()
    const from = Date.now()
    await console.badgeSays('Connected')
    expect(Date.now() - from).toBeLessThan(3_000)
    await console.position('BTCUSDT').waitFor()
    expect([questions(other), questions(back)]).toEqual([0, 0])
  })

  it('takes it for its own once a person accepts it here, and its operator there', async ({ stage }) => {
    const { console, other } = await swapHooklines(stage)
    await console.follow('Accept this hookline')
    await isAsked(other, console)
    await answer(other, 'y')
    await console.badgeSays('Connected')
    await console.pane('Portfolio').getByText('No open positions.').waitFor()
    await console.run('echo here')
    await other.shows('here')
    await console.reload()
    await console.badgeSays('Connected')
  })
})

describe('a program that has taken the port and welcomes everybody', () => {
  it('hears a hello and nothing else, and opens no session with it', async ({ stage }) => {
    await stage.startWeb()
    const { hookline, console } = await stage.openPaired({ expects: NO_HOOKLINE })
    hookline.send('exit\r')
    await hookline.exit()
    const squatter = await startSquatter('welcome', { listenerId: stage.listenerId(), key: '' })
    await console.badgeSays('Another program')
    await squatter.leftAlone()
    await console.run('buy $100 BTCUSDT')
    await console.prints(/^error: .*nothing was sent/)
    expect(squatter.heard.map((text) => JSON.parse(text))).toEqual(
      squatter.heard.map(() => expect.objectContaining({ t: 'hello' })),
    )
    await expect.poll(async () => (await console.advice()).textContent()).toContain(stage.keyTail())
    await squatter.end()
    const back = await stage.startHookline()
    await console.triesNow()
    expect(questions(back)).toBe(0)
  })
})
