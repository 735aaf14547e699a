// Caddy, as Debian has it, with the file that hookline makes for it.
import { describeProxy } from './describe-proxy.ts'

describeProxy('caddy')
