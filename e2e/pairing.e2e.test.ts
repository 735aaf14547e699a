// How a page and hookline come together, as the person sees it who has both in front of them.
import { describe, expect } from 'vitest'
import { answer, isAsked, questions } from './operator.ts'
import { it } from './stage.ts'

interface WebSettings {
  readonly trustedListenerIds: Readonly<Record<string, string>>
}

describe('a page that is new to hookline', () => {
  it('waits for a y in the terminal, which shows what the page shows', async ({ stage }) => {
    const hookline = await stage.startHookline()
    const console = await stage.openConsole()
    await console.badgeSays('Not connected')
    expect(questions(hookline)).toBe(0)
    await console.press('Connect')

    await console.badgeSays('Waiting for your y')
    const asked = await isAsked(hookline)
    const clientId = await console.clientId()
    expect(asked).toEqual({ label: 'console in Chrome on Linux', origin: 'http://127.0.0.1:53220', client: clientId })
    const advice = await (await console.advice()).textContent()
    for (const shown of Object.values(asked)) expect(advice).toContain(shown)

    await answer(hookline, 'y')
    await console.badgeSays('Connected')
    const { listenerId } = stage.readJson<{ listenerId: string }>('listener.json')
    await expect
      .poll(() => Object.values(stage.readJson<WebSettings>('web-settings.json').trustedListenerIds))
      .toEqual([listenerId])
    expect(stage.readJson('trusted-clients.json')).toMatchObject({
      clients: [{ clientId: expect.stringMatching(`^${clientId}`), origin: 'http://127.0.0.1:53220' }],
    })
  })
})
