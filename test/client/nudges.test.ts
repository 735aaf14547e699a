import { expect, it } from 'vitest'
import { pageNudges } from '../../src/client/client.ts'

class Page extends EventTarget {
  visibilityState = 'hidden'
}

it('nudges when the tab becomes visible and when the network returns, until told to stop', () => {
  const [page, window] = [new Page(), new EventTarget()]
  let nudges = 0
  const stop = pageNudges(page, window).watch(() => nudges++)
  page.dispatchEvent(new Event('visibilitychange'))
  expect(nudges).toBe(0)
  page.visibilityState = 'visible'
  page.dispatchEvent(new Event('visibilitychange'))
  expect(nudges).toBe(1)
  window.dispatchEvent(new Event('online'))
  expect(nudges).toBe(2)
  stop()
  page.dispatchEvent(new Event('visibilitychange'))
  window.dispatchEvent(new Event('online'))
  expect(nudges).toBe(2)
})

it('has nothing to watch outside a page', () => {
  expect(pageNudges().watch(() => {})).toBeTypeOf('function')
})
