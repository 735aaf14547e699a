// axe-core's rules, all of them, over every state that a person may be in for long, in every look.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { describe, expect } from 'vitest'
import { type ConsolePage, PAGES } from './console-page.ts'
import { isAsked } from './operator.ts'
import { seedEquity } from './seeded-equity.ts'
import { seedFiles } from './seeded-files.ts'
import { it, NO_HOOKLINE, type Stage } from './stage.ts'

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

const WIDE = { width: 1280, height: 800 }
const LOOKS = [
  { look: 'light', colorScheme: 'light', size: WIDE },
  { look: 'dark', colorScheme: 'dark', size: WIDE },
  { look: 'narrow', colorScheme: 'light', size: { width: 360, height: 740 } },
  { look: 'narrow and dark', colorScheme: 'dark', size: { width: 360, height: 740 } },
] as const

interface Violation {
  readonly id: string
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[]
}

/** @returns `rule: element`, with what axe says of it */
async function violations({ page }: ConsolePage): Promise<string[]> {
  await page.evaluate(AXE)
  const { violations } = await page.evaluate<{ violations: readonly Violation[] }>('axe.run()')
  return violations.flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.html} (${node.failureSummary})`))
}

async function passesInEveryLook(console: ConsolePage, state: string): Promise<void> {
  for (const { look, colorScheme, size } of LOOKS) {
    await console.page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    await console.page.setViewportSize(size)
    expect(await violations(console), `${state}, ${look}`).toEqual([])
  }
  await console.page.setViewportSize(WIDE)
}

/** A desk with something in every pane. */
async function openFull(stage: Stage): Promise<ConsolePage> {
  seedEquity(stage)
  const { console } = await stage.openPaired({ permissions: ['clipboard-write'], viewport: WIDE })
  seedFiles(stage)
  await console.makeHook('dip', 'buy $100 ETHUSDT; echo "<b>fired</b>"; buy $9999999 ETHUSDT')
  await stage.fire('dip')
  await console.prints(/^\[hook:dip\] error: /)
  await console.run('buy $100 BTCUSDT; stop at -2%; positons')
  await (await console.open('Who copies whom')).getByText('unknown', { exact: true }).waitFor()
  await (await console.open('Tasks')).getByRole('row', { name: /interrupted/ }).waitFor()
  await console.open('Portfolio')
  await console.position('BTCUSDT').waitFor()
  return console
}

const DIALOGS = [
  ['New hook', 'New hook'],
  ['Rotate token of hook dip', 'Give dip a new token?'],
  ['Revoke hook dip', 'Revoke dip?'],
  ['Keys', 'Keyboard'],
] as const

describe('axe-core finds nothing', () => {
  it('before a connection, while hookline is missing, and while it asks', async ({ stage }) => {
    const console = await stage.openConsole({ expects: NO_HOOKLINE, viewport: WIDE })
    await console.badgeSays('Not connected')
    await passesInEveryLook(console, 'not connected')
    await console.follow('Connect')
    await console.badgeSays('Not running')
    await passesInEveryLook(console, 'not running')
    await isAsked(await stage.startHookline(), console)
    await passesInEveryLook(console, 'waiting')
  })

  it('on every page of a desk full of everything, with the terminal open', async ({ stage }) => {
    const console = await openFull(stage)
    for (const page of PAGES) {
      await console.goToPage(page)
      await passesInEveryLook(console, page)
    }
  })

  it('in the tabs of Trade, and with a ticket that is filled in', async ({ stage }) => {
    const console = await openFull(stage)
    const ticket = console.page.getByRole('region', { name: 'Ticket' })
    await ticket.getByRole('textbox', { name: 'Size' }).fill('250')
    await ticket.getByRole('textbox', { name: 'Stop' }).fill('-2%')
    await ticket.getByText('If the stop is hit').waitFor()
    for (const tab of ['Fills', 'Runs'] as const) {
      await console.page.getByRole('tab', { name: new RegExp(`^${tab}`) }).click()
      await console.page.getByRole('table', { name: tab }).waitFor()
      await passesInEveryLook(console, tab)
    }
    await console.page.setViewportSize({ width: 390, height: 844 })
    await console.page.getByRole('region', { name: 'Trade' }).getByRole('button', { name: 'Buy' }).click()
    await console.page.getByRole('dialog', { name: 'Ticket' }).getByText('If the stop is hit').waitFor()
    expect(await violations(console)).toEqual([])
  })

  it('with what opens from the header', async ({ stage }) => {
    const console = await openFull(stage)
    await console.advice()
    await passesInEveryLook(console, 'connected, with the advice open')
    await console.page.keyboard.press('Escape')
    for (const name of [/^Remote runs: /, /^Account paper/, /^Symbol BTCUSDT/, /^Notices/, 'More ways to stop']) {
      const role = String(name).includes('Remote') ? 'switch' : 'button'
      await console.page.getByRole(role, { name }).click()
      await passesInEveryLook(console, String(name))
      await console.page.keyboard.press('Escape')
    }
    await console.page.keyboard.press('Control+k')
    await console.page.getByRole('dialog', { name: 'Find or run' }).waitFor()
    await passesInEveryLook(console, 'palette')
  })

  it('in every dialog', async ({ stage }) => {
    const console = await openFull(stage)
    await console.open('Hooks')
    for (const [button, name] of DIALOGS) {
      await console.page.getByRole('button', { name: button, exact: true }).press('Enter')
      await console.page.getByRole('dialog', { name, exact: true }).waitFor()
      await passesInEveryLook(console, name)
      await console.page.keyboard.press('Escape')
    }
    await (await console.open('Portfolio')).getByRole('button', { name: /^Cancel order/ }).click()
    await console.page.getByRole('dialog', { name: 'Cancel this order?' }).waitFor()
    await passesInEveryLook(console, 'cancel an order')
    await console.page.keyboard.press('Escape')
    await console.pasteIntoTerminal('price\norders')
    await console.page.getByRole('dialog', { name: 'Run 2 pasted lines?' }).waitFor()
    await passesInEveryLook(console, 'paste')
  })
})
