import { afterAll, beforeAll, describe } from 'vitest'
import { theBanners } from './billing/banners.ts'
import { theChange } from './billing/change.ts'
import { theCredits } from './billing/credits.ts'
import { theDeeds } from './billing/deeds.ts'
import { theDoubleClick } from './billing/double.ts'
import { theDrawer } from './billing/drawer.ts'
import { theHistory } from './billing/history.ts'
import { thePage } from './billing/page.ts'
import { thePricing } from './billing/pricing.ts'
import { theRest } from './billing/resting.ts'
import { theReturn } from './billing/return.ts'
import { begin, end } from './billing/scene.ts'

// What an account sees of its plan, its limits and its payments.

beforeAll(begin)
afterAll(end)

describe('the subscription drawer', theDrawer)
describe('the banners above every screen', theBanners)
describe('/pricing', thePricing)
describe('/billing', thePage)
describe('canceling, reactivating, the portal', theDeeds)
describe('the payment history', theHistory)
describe('changing the plan', theChange)
describe('pressed twice, done once', theDoubleClick)
describe('the return from checkout', theReturn)
describe('credits', theCredits)
describe('resting stores', theRest)
