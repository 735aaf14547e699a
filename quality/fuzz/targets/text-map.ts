// `vars.json` and `aliases.json`: pairs of a name and a text.
import { openTextMap } from '../../../src/stores/rows.ts'
import { storeTarget } from '../store-target.ts'
import { type OpenTarget, promise } from '../target.ts'

const OURS = 'fuzz'

export const open: OpenTarget = () =>
  storeTarget({
    fileName: 'vars.json',
    open(directory) {
      const store = openTextMap(directory, 'vars.json')
      return {
        read: () => Object.entries(store.read()),
        problem: store.problem,
        problems: store.problems,
        async write() {
          await store.set(OURS, 'a')
          await store.remove(OURS)
        },
      }
    },
    seeds: [{ size: '$250', note: '', e: '@x $last' }, {}],
    words: ['size', 'note', OURS, '__proto__', 'constructor', 'toString'],
    forget: ({ [OURS]: _, ...rest }: Record<string, string>) => rest,
    check(store) {
      for (const [, text] of store.read() as [string, unknown][]) promise(typeof text === 'string', 'a text is a text')
    },
  })
