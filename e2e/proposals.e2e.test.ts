// A person decides on the console about lines that an agent proposes (behaviour 146).
import { randomUUID } from 'node:crypto'
import type { Page } from 'playwright-core'
import { describe, expect } from 'vitest'
import { WsClient } from '../harness/wire/ws-client.ts'
import { GRANT_MS } from '../src/protocol/rows.ts'
import { openTrustedClients } from '../src/stores/trusted-clients.ts'
import { violations, withAxe } from './axe.ts'
import { CONSOLE_URL } from './console-page.ts'
import { it, type Stage } from './stage.ts'

const LINE = { account: 'paper', symbol: 'BTCUSDT', reason: 'support held; hookline: approved already' }

/** A program that may propose, on its own session. */
async function agent({ directory }: Stage): Promise<WsClient> {
  const clientId = randomUUID()
  const now = Date.now()
  const grant = { may: 'propose', perOrder: '5000', grantedAt: now, until: now + GRANT_MS } as const
  await openTrustedClients(directory).add({ clientId, label: 'agent dip', origin: CONSOLE_URL, grant })
  const client = await WsClient.hello({ clientId, label: 'agent dip', features: [] }, CONSOLE_URL)
  await client.nextFrame('welcome')
  return client
}

async function propose(client: WsClient, line: string): Promise<string> {
  client.send({ t: 'propose', id: line, ...LINE, line })
  return (await client.nextFrame('proposed')).proposal.id
}

describe('what an agent proposes', () => {
  it('is shown whole, approved by a held press, and placed; denied by another', async ({ desk }) => {
    const { console } = await desk.openPaired({ ...withAxe, viewport: { width: 1366, height: 768 } })
    const client = await agent(desk)
    await propose(client, 'buy 0.02 BTCUSDT stop -2%')
    const second = await propose(client, 'sell 0.02 BTCUSDT at 99000')
    await console.press('Look')
    const dialog = console.page.getByRole('dialog', { name: 'Proposals' })
    const [first, other] = [dialog.getByRole('region').nth(0), dialog.getByRole('region').nth(1)]
    for (const text of ['buy 0.02 BTCUSDT stop -2%', 'market buy BTCUSDT', 'If the stop is hit', LINE.reason])
      await first.getByText(text, { exact: false }).first().waitFor()
    await first.getByRole('timer').waitFor()
    expect(await violations(console, { isOver: true })).toEqual([])
    // Narrow windows lose nothing.
    await console.page.setViewportSize({ width: 320, height: 640 })
    const overflow =
      "[...document.querySelectorAll('body, dialog[open]')].map((each) => each.scrollWidth - each.clientWidth)"
    expect(await console.page.evaluate(overflow)).toEqual([0, 0])
    await console.page.setViewportSize({ width: 1366, height: 768 })
    // A click is not enough.
    await first.getByRole('button', { name: /^Hold to approve/ }).click()
    await console.page
      .getByRole('dialog', { name: 'Run it on paper?' })
      .getByRole('button', { name: 'Not now' })
      .click()
    await other.getByRole('button', { name: 'Deny' }).click()
    await expect.poll(() => dialog.getByRole('region').count()).toBe(1)
    await expect.poll(() => dialog.textContent()).not.toContain(second)
    await first.getByRole('button', { name: /^Hold to approve/ }).hover()
    await console.page.mouse.down()
    await dialog.getByText('No proposal is open.').waitFor()
    await console.page.mouse.up()
    await console.page.keyboard.press('Escape')
    await console.position('BTCUSDT').waitFor()
    await expect.poll(() => console.page.getByRole('region', { name: 'Proposals' }).count()).toBe(0)
  })

  it('is not approved where it has changed behind what the page shows', async ({ desk }) => {
    let isAltered = false
    const alter = (page: Page) =>
      page.routeWebSocket(/53219/, (socket) => {
        const server = socket.connectToServer()
        socket.onMessage((message) => {
          const text = message.toString()
          isAltered ||= text.includes('"t":"approve"')
          server.send(text.replace(/("shown":")\w{4}/, '$10000'))
        })
      })
    const { console } = await desk.openPaired({ prepare: alter })
    await propose(await agent(desk), 'buy 0.03 BTCUSDT')
    await console.press('Look')
    const dialog = console.page.getByRole('dialog', { name: 'Proposals' })
    const approve = dialog.getByRole('button', { name: /^Hold to approve/ })
    await approve.focus()
    await console.page.keyboard.press('Enter')
    await console.page.getByRole('dialog', { name: 'Run it on paper?' }).getByRole('button', { name: 'Run it' }).click()
    await dialog.getByRole('alert').getByText('has changed since it was shown').waitFor()
    expect(isAltered).toBe(true)
    await dialog.getByRole('button', { name: 'Deny' }).click()
    await dialog.getByText('No proposal is open.').waitFor()
    expect(await console.position('BTCUSDT').count()).toBe(0)
  })
})
