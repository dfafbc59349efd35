import { expect, it } from 'vitest'
import { createStripeWorld } from '../../../test/stripe-world.ts'
import { buildLines, loadCatalogue } from './catalogue.ts'
import { catalogueEntries, findEntry, findPriceFault } from './catalogue-rules.ts'

const world = createStripeWorld()
const countPriceRequests = () => world.stripe.seen.filter(({ path }) => path === '/v1/prices').length

it('sells the plans of the Pricing page at its prices (A 9)', () => {
  expect(catalogueEntries.map(({ lookupKey, amountMinor }) => [lookupKey, amountMinor])).toEqual([
    ['recoup_starter_month', 1_900],
    ['recoup_growth_month', 4_900],
    ['recoup_extra_store_month', 1_000],
    ['recoup_starter_year', 18_000],
    ['recoup_growth_year', 46_800],
    ['recoup_extra_store_year', 12_000],
  ])
})

it('finds what a price sells, even after its lookup key moved to a newer one', () => {
  expect(findEntry({ lookup_key: 'recoup_growth_year', metadata: {} })).toMatchObject({ plan: 'growth', cycle: 'year' })
  expect(findEntry({ lookup_key: 'recoup_extra_store_month', metadata: {} })).toMatchObject({
    plan: null,
    cycle: 'month',
  })
  expect(findEntry({ lookup_key: null, metadata: { recoup: 'recoup_starter_month' } })).toMatchObject({
    plan: 'starter',
  })
  expect(findEntry({ lookup_key: 'other', metadata: {} })).toBeNull()
  expect(findEntry({ lookup_key: null, metadata: {} })).toBeNull()
})

it('reports faults of a price', () => {
  const price = world.stripe.all('price').find(({ lookup_key }) => lookup_key === 'recoup_starter_year')!
  const expected = findEntry(price)!
  expect(findPriceFault(price, expected)).toBeNull()
  expect(findPriceFault({ ...price, active: false }, expected)).toBe('is archived')
  expect(findPriceFault({ ...price, unit_amount: 17_000 }, expected)).toBe(
    'costs 170.00 USD a year, and Recoup shows 180.00 USD',
  )
  expect(findPriceFault({ ...price, unit_amount: null }, expected)).toContain('no fixed amount')
  expect(findPriceFault({ ...price, currency: 'eur' }, expected)).toContain('180.00 EUR')
  const recurring = price.recurring!
  expect(findPriceFault({ ...price, recurring: { ...recurring, interval: 'month' } }, expected)).toMatch(/once a year/)
  expect(findPriceFault({ ...price, recurring: { ...recurring, interval_count: 2 } }, expected)).toMatch(/once a year/)
  expect(findPriceFault({ ...price, recurring: { ...recurring, usage_type: 'metered' } }, expected)).toMatch(
    /once a year/,
  )
  expect(findPriceFault({ ...price, recurring: null }, expected)).toMatch(/once a year/)
})

it('reads prices and portal once in ten minutes', async () => {
  const first = await loadCatalogue(world.deps)
  const before = countPriceRequests()
  world.advance(599_000)
  expect(await loadCatalogue(world.deps)).toBe(first)
  expect(countPriceRequests()).toBe(before)
  world.advance(1_000)
  expect(await loadCatalogue(world.deps)).toEqual(first)
  expect(countPriceRequests()).toBe(before + 1)
})

it('has a line for extra stores only if there are some', async () => {
  const catalogue = await loadCatalogue(world.deps)
  const id = (key: string) => world.stripe.all('price').find(({ lookup_key }) => lookup_key === key)!.id
  expect(buildLines(catalogue, { plan: 'growth', cycle: 'year', extraStores: 0 })).toEqual([
    { price: id('recoup_growth_year'), quantity: 1 },
  ])
  expect(buildLines(catalogue, { plan: 'starter', cycle: 'month', extraStores: 3 })).toEqual([
    { price: id('recoup_starter_month'), quantity: 1 },
    { price: id('recoup_extra_store_month'), quantity: 3 },
  ])
})

it('sells nothing while a price is missing or wrong, and sells again as soon as it is fixed', async () => {
  world.advance(600_000)
  const stripe = world.deps.stripe!
  const price = world.stripe.all('price').find(({ lookup_key }) => lookup_key === 'recoup_growth_month')!
  const other = await stripe.prices.create({
    product: price.product as string,
    currency: 'usd',
    unit_amount: 5_900,
    recurring: { interval: 'month' },
    lookup_key: 'recoup_growth_month',
    transfer_lookup_key: true,
  })
  await expect(loadCatalogue(world.deps)).rejects.toMatchObject({ code: 'unavailable' })
  await stripe.prices.update(other.id, { lookup_key: 'elsewhere' })
  await expect(loadCatalogue(world.deps)).rejects.toThrow('has to run npm run billing:setup first.')
  await stripe.prices.update(price.id, { lookup_key: 'recoup_growth_month' })
  expect((await loadCatalogue(world.deps)).prices.get('recoup_growth_month')).toBe(price.id)
})
