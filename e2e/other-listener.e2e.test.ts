// The page knows its hookline by its listenerId; whoever else answers on the port gets a hello and nothing more.
import { describe, expect } from 'vitest'
import { tempDirectory } from '../harness/files/temp-directory.ts'
import { startImpostor } from './impostor.ts'
import { answer, isAsked } from './operator.ts'
import { it, NO_HOOKLINE, type Stage } from './stage.ts'

/** A page that knows one hookline, where another installation now has the port and has let the page in. */
async function swapHooklines(stage: Stage) {
  const { hookline, console } = await stage.openPaired({ expects: NO_HOOKLINE })
  await console.run('buy $100 BTCUSDT')
  await console.position('BTCUSDT').waitFor()
  hookline.send('exit\r')
  await hookline.exit()
  const directory = tempDirectory()
  const other = await stage.startHookline(directory)
  await isAsked(other, console)
  await answer(other, 'y')
  await console.badgeSays('Another hookline')
  return { console, other, known: stage.listenerId(), answered: stage.listenerId(directory) }
}

describe('a page that another hookline answers', () => {
  it('shows both ids and nothing of the other, and stays away when told to', async ({ stage }) => {
    const { console, known, answered } = await swapHooklines(stage)
    const advice = await console.advice()
    expect(await advice.getByRole('definition').allTextContents()).toEqual([known, answered])
    expect(known).not.toBe(answered)
    for (const panel of ['Portfolio', 'Hooks', 'Accounts', 'Tasks', 'Cross-trade'] as const) {
      await console.panel(panel).getByText('appear once this page is connected to hookline').waitFor()
    }
    await console.press('Stay away')
    await console.badgeSays('Not connected')
    await console.page.reload()
    await console.badgeSays('Another hookline')
  })

  it('takes it for its own once a person accepts it', async ({ stage }) => {
    const { console, other } = await swapHooklines(stage)
    await console.press('Accept this hookline')
    await console.badgeSays('Connected')
    await console.panel('Portfolio').getByText('No open positions.').waitFor()
    await console.run('echo here')
    await other.shows('here')
    await console.page.reload()
    await console.badgeSays('Connected')
  })
})

describe('a program that has taken the port and welcomes everybody', () => {
  it('hears a hello and nothing else', async ({ stage }) => {
    const { hookline, console } = await stage.openPaired({ expects: NO_HOOKLINE })
    hookline.send('exit\r')
    await hookline.exit()
    const impostor = await startImpostor()
    await console.badgeSays('Another hookline')
    await impostor.leftAlone()
    await console.run('buy $100 BTCUSDT')
    await console.prints(/^error: .*nothing was sent/)
    expect(impostor.heard).toEqual([expect.objectContaining({ t: 'hello' })])
    expect(await (await console.advice()).textContent()).toContain(impostor.listenerId)
  })
})
