// The way in. What most starts need (the REPL, the listener) is reached without loading the argument parser.
import { startInteractive } from './interactive.ts'
import { refuseToStart } from './refuse-to-start.ts'

if (process.argv.length === 2) startInteractive({ strict: false }).catch(refuseToStart)
else void import('./program.ts').then(({ runProgram }) => runProgram(process.argv))
