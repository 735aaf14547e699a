// The entry was carried out, and its answer was lost.
import { playOutage } from './outage.ts'

playOutage('was carried out')
