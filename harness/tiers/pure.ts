// Set up before each file of the unit and sim tiers: what belongs to another tier fails at once, and says so.
import childProcess from 'node:child_process'
import { syncBuiltinESMExports } from 'node:module'
import net from 'node:net'
import './memory-files.ts'
import './runs.ts'

function forbid(name: string): () => never {
  return () => {
    throw new Error(`a unit test may not call ${name}: rename its file to *.node.test.ts or *.port.test.ts`)
  }
}

for (const name of ['spawn', 'spawnSync', 'exec', 'execSync', 'execFile', 'execFileSync', 'fork'] as const) {
  Object.assign(childProcess, { [name]: forbid(name) })
}
net.Server.prototype.listen = forbid('listen')
net.Socket.prototype.connect = forbid('connect')
syncBuiltinESMExports()
