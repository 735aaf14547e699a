// What can be typed, as the build found it in hookline's command table (vite.config.ts).
import type { TypeableCommand } from './completion.ts'

declare const __COMMANDS__: readonly TypeableCommand[]

export const COMMANDS: readonly TypeableCommand[] = __COMMANDS__
