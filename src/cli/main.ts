// The way in. What most starts need (the REPL, the listener) is reached without loading the argument parser.
import { startInteractive } from './interactive.ts'

if (process.argv.length === 2) void startInteractive({ strict: false })
else void import('./program.ts').then(({ runProgram }) => runProgram(process.argv))
