// The built hookline, against the vectors that anyone can run a listener against. Those that wait for a limit of 10 s run in `npm run conformance -- --slow`;
// these limits are waited for in test/listener.
import { expect, it } from 'vitest'
import { checkListener } from '../../conformance/run.mjs'

it('answers each vector of a listener as PROTOCOL.md says', async () => {
  const results = await checkListener(false)
  expect(results.filter(({ error }) => error !== undefined)).toEqual([])
  expect(results.length).toBeGreaterThan(60)
})
