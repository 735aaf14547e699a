import { inject } from 'vitest'
import { SAID } from '../../harness/stops/stop-cycles.ts'
import { rows } from './matrix.ts'

rows('held', inject('stopNames'), (said) => SAID.indexOf(said) % 2 === 1)
