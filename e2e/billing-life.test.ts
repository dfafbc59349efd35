import { afterAll, beforeAll, describe } from 'vitest'
import { theBeginning } from './billing-life/beginning.ts'
import { theChanges } from './billing-life/changes.ts'
import { theEnd } from './billing-life/ending.ts'
import { begin, end } from './billing-life/house.ts'
import { theOverduePayment } from './billing-life/overdue.ts'

// The whole life of one subscription, in the order in which it happens, against the contract server of Stripe by its clock (decision 89).

beforeAll(begin)
afterAll(end)

describe('a trial without a card becomes a paid plan', theBeginning)
describe('a larger plan', theChanges)
describe('a payment that fails', theOverduePayment)
describe('a smaller plan, the end, and what is given back', theEnd)
