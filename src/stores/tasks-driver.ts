// `tasks-driver.json` (behaviour 41): which process drives the tasks of this directory. One that has died holds nothing; one that lives is never
// pushed out, also where the machine slept.
import { join } from 'node:path'
import * as z from 'zod/mini'
import { defined } from '../base/defined.ts'
import { createJsonFile, type FileState, stateOf } from './json-file.ts'
import { isAlive, ownIdentity, type ProcessIdentity } from './process-identity.ts'
import { recordOf } from './row-file.ts'

const schema = z.looseObject({
  pid: z.exactOptional(z.int()),
  born: z.exactOptional(z.string()),
})

type DriverFile = z.infer<typeof schema>

export interface TasksDriverStore extends FileState {
  /** The living process that drives; undefined: none does. */
  holder(): ProcessIdentity | undefined
  /** Asked before each order: one stat in a turn of the event loop. What cannot be read is not ours. */
  isOurs(): boolean
  /** Takes it where nobody living holds it. @returns whether it is ours now @throws {StoreError} */
  take(): Promise<boolean>
  /** @throws {StoreError} */
  letGo(): Promise<void>
}

export interface TasksDriverOptions {
  readonly identity?: ProcessIdentity
  readonly isAlive?: (process: ProcessIdentity) => boolean
}

export function openTasksDriver(directory: string, options: TasksDriverOptions = {}): TasksDriverStore {
  const file = createJsonFile<DriverFile>({
    path: join(directory, 'tasks-driver.json'),
    parse: recordOf<DriverFile>(schema),
    defaults: {},
  })
  const lives = options.isAlive ?? isAlive
  const own = (): ProcessIdentity => options.identity ?? ownIdentity()
  const isOwn = ({ pid, born }: DriverFile) => pid === own().pid && born === own().born

  function holderIn(content: DriverFile): ProcessIdentity | undefined {
    const { pid, born } = content
    if (pid === undefined) return undefined
    const holder = { pid, ...defined({ born }) }
    return isOwn(content) || lives(holder) ? holder : undefined
  }

  return {
    holder: () => holderIn(file.read()),
    isOurs: () => isOwn(file.readOncePerTurn()) && file.problem() === undefined,
    async take() {
      const content = await file.update((content) => {
        if (holderIn(content) !== undefined) return content
        const { pid: _pid, born: _born, ...rest } = content
        return { ...rest, ...own() }
      })
      return isOwn(content)
    },
    async letGo() {
      await file.update((content) => {
        if (!isOwn(content)) return content
        const { pid: _pid, born: _born, ...rest } = content
        return rest
      })
    },
    ...stateOf(file),
  }
}
