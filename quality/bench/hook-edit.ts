// One edit after another of a registry of hooks, by the real store: `growth-hooks.mjs` bundles this like the product and runs it.
// Usage: node <bundle> <config directory> <edits>; prints what each took, in ms, as JSON.
import { openHookStore } from '../../src/stores/hooks.ts'

const [directory = '', edits] = process.argv.slice(2)
const hooks = openHookStore(directory)
const first = hooks.list()[0]?.id ?? ''
// The first edit loads the lock, and reads the file.
await hooks.rotate(first)
const times: number[] = []
for (let edit = 0; edit < Number(edits); edit++) {
  const startedAt = performance.now()
  await hooks.rotate(first)
  times.push(performance.now() - startedAt)
}
console.log(JSON.stringify(times))
