import type { AccountStore } from '../stores/accounts.ts'
import { StoreError } from '../stores/store-error.ts'
import type { Log } from './log.ts'

interface PrepareOptions {
  readonly accounts: Pick<AccountStore, 'ensurePaper'>
  readonly web: { start(): Promise<{ readonly listenerId: string } | undefined> } | undefined
  readonly log: Pick<Log, 'write'>
}

/** What the very first start makes: the account and the identity. */
export async function prepareFiles(options: PrepareOptions): Promise<{ readonly listenerId: string } | undefined> {
  try {
    await options.accounts.ensurePaper()
    return await options.web?.start()
  } catch (error) {
    if (!(error instanceof StoreError)) throw error
    // What is wrong with the file is among the problems; everything that does not need it works.
    options.log.write('warn', error.message)
    return undefined
  }
}
