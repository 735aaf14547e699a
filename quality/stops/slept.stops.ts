import { inject } from 'vitest'
import { rows } from './matrix.ts'

rows('slept', inject('stopNames'), ({ both }) => both !== undefined)
