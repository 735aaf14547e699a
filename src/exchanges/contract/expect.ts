// The assertions of the contract: those that the tests have, without their runner.
import { type ExpectStatic, JestAsymmetricMatchers, JestChaiExpect, JestExtend } from '@vitest/expect'
import { expect as chaiExpect, use } from 'chai'

for (const plugin of [JestExtend, JestChaiExpect, JestAsymmetricMatchers]) use(plugin)

export const expect = chaiExpect as unknown as ExpectStatic
