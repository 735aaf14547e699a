// A new user's first hour on Bitget, linear.
import { bitgetModel } from '../../../harness/venues/models/bitget.ts'
import { playNewUser } from '../../../harness/venues/new-user.ts'

playNewUser(bitgetModel())
