// Runs a load in a process of its own: the plan goes in as JSON, the result comes out as its last line.
import { fileURLToPath } from 'node:url'
import { LOAD_CORE, lastLineOf, startProcess } from './processes.mjs'

/** @param {string} module the `import.meta.url` of a file that calls `serveLoad` @param {object} plan */
export async function runLoad(module, plan) {
  const child = startProcess([process.execPath, fileURLToPath(module)], { core: LOAD_CORE, stdin: 'pipe' })
  child.stdin.end(JSON.stringify(plan))
  return JSON.parse(await lastLineOf(child))
}

/** In the new process, runs the plan. @param {string} module @param {(plan: any) => Promise<object>} run */
export async function serveLoad(module, run) {
  if (process.argv[1] !== fileURLToPath(module)) return
  let text = ''
  for await (const chunk of process.stdin) text += chunk
  console.log(JSON.stringify(await run(JSON.parse(text))))
  process.exit()
}
