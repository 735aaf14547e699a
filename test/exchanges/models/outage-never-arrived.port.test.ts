// The entry never arrived.
import { playOutage } from './outage.ts'

playOutage('never arrived')
