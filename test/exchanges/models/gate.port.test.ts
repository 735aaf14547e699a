// A new user's first hour on Gate, linear.
import { gateModel } from '../../../harness/venues/models/gate.ts'
import { playNewUser } from '../../../harness/venues/new-user.ts'

playNewUser(gateModel('linear'))
