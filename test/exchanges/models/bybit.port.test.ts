// A new user's first hour on Bybit, linear.
import { bybitModel } from '../../../harness/venues/models/bybit.ts'
import { playNewUser } from '../../../harness/venues/new-user.ts'

playNewUser(bybitModel('linear'))
