// The file of a proxy, which has tokens in it. It is not state: it lies where the person says, and is looked at before it is replaced.
import { replaceWhole } from './atomic-write.ts'
import { readSecretFile } from './secret-file.ts'
import { StoreError } from './store-error.ts'
import { systemCode, writeFailure } from './system-failure.ts'
import { UnsafeFileError } from './unsafe-file-error.ts'

export const proxyFiles = {
  /** @returns undefined where there is none @throws {StoreError} also for one that others may read or write */
  read(path: string): string | undefined {
    try {
      return readSecretFile(path)
    } catch (error) {
      if (systemCode(error) === 'ENOENT') return undefined
      if (!(error instanceof UnsafeFileError)) throw writeFailure(path, error)
      throw new StoreError('store-write-failed', `${path} ${error.message}`, { hint: error.hint, cause: error })
    }
  },

  /** Replaces it in one step, for nobody else to read. Call `read` first. @throws {StoreError} */
  async write(path: string, text: string): Promise<void> {
    await replaceWhole(path, text)
  },
}
