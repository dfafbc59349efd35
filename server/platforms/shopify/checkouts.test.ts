import { afterEach, describe, expect, test } from 'vitest'
import { collectRows, openShopifyClient } from '../../../test/shopify-client.ts'
import { readCustomer } from './people.ts'
import { readCheckout } from './platform.ts'

const open: { close(): Promise<void> }[] = []
afterEach(async () => {
  await Promise.all(open.splice(0).map((one) => one.close()))
})

async function opened(options: Parameters<typeof openShopifyClient>[0] = {}) {
  const one = await openShopifyClient(options)
  open.push(one)
  return one
}

const ADDRESS = {
  firstName: 'Ada',
  lastName: 'Byron',
  address1: '1 Elm St',
  city: 'Portland',
  zip: '97201',
  provinceCode: 'OR',
  countryCode: 'US',
  address2: '',
  phone: '',
}

async function begun(one: Awaited<ReturnType<typeof opened>>, filled: object = {}) {
  const [page] = await collectRows(one.client.products({}))
  const variant = page!.rows.find(({ isAvailable }) => isAvailable)!
  const contact = { email: 'ada@example.com', phone: '+15035550199', address: ADDRESS, ...filled }
  return {
    checkout: one.store.controls.beginCheckout([{ variantId: Number(variant.variationId), quantity: 3 }], contact),
    variant,
  }
}

describe('a checkout', () => {
  test('has items, customer and restore link', async () => {
    const one = await opened()
    const { checkout, variant } = await begun(one, { acceptsEmail: true })
    const rows = (await collectRows(one.client.checkouts({ modifiedSince: '2026-11-26T00:00:00Z' }))).flatMap(
      (page) => page.rows,
    )
    expect(rows).toMatchObject([
      {
        checkoutId: String(checkout.id),
        checkoutToken: checkout.token,
        cartToken: null,
        completedAt: null,
        currency: 'USD',
        totalMinor: checkout.totalMinor,
        subtotalMinor: checkout.subtotalMinor,
        discountMinor: 0,
        email: 'ada@example.com',
        phone: '+15035550199',
        firstName: 'Ada',
        country: 'US',
        state: 'OR',
        locale: 'en',
        coupons: [],
        restoreUrl: expect.stringContaining(checkout.token),
        items: [
          {
            productId: variant.productId,
            variationId: variant.variationId,
            quantity: 3,
            unitPriceMinor: variant.priceMinor,
          },
        ],
        consents: expect.arrayContaining([
          { channel: 'email', state: 'granted', level: 'single', at: expect.any(String), wording: null },
        ]),
      },
    ])
    expect(await one.client.checkout(String(checkout.id))).toEqual(rows[0])
  })

  test('has the order’s time, and the same token as the order', async () => {
    const one = await opened()
    const { checkout } = await begun(one)
    one.advance(60_000)
    const order = one.store.controls.pay(checkout.id)
    const read = await one.client.checkout(String(checkout.id))
    expect(read?.completedAt).toBe('2026-11-26T12:01:00Z')
    expect((await one.client.order(String(order.id)))?.checkoutToken).toBe(read?.checkoutToken)
  })

  test('is gone after deletion', async () => {
    const one = await opened()
    const { checkout } = await begun(one)
    one.store.controls.deleteCheckout(checkout.id)
    expect(await one.client.checkout(String(checkout.id))).toBeNull()
    expect(await one.client.checkout('0')).toBeNull()
  })

  test('has no names or addresses when the plan withholds them', async () => {
    const one = await opened({ plan: 'basic' })
    const { checkout } = await begun(one)
    expect(await one.client.checkout(String(checkout.id))).toMatchObject({
      email: null,
      phone: null,
      firstName: null,
      lastName: null,
      country: 'US',
      customerId: expect.stringMatching(/^\d+$/),
    })
  })

  test('has its token in URLs of both formats', () => {
    const tokenIn = (abandonedCheckoutUrl: string) => {
      const money = { shopMoney: { amount: '1.0', currencyCode: 'USD' } }
      const raw = { id: 'gid://shopify/AbandonedCheckout/7', updatedAt: '2026-11-01T00:00:00Z', totalPriceSet: money }
      const reading = readCheckout({ ...raw, abandonedCheckoutUrl })
      return 'row' in reading ? reading.row.checkoutToken : null
    }
    expect(tokenIn('https://a.example/548380009/checkouts/eeafa272cebfd4b2/recover?key=6edd')).toBe('eeafa272cebfd4b2')
    expect(tokenIn('https://a.example/1/checkouts/ac/Z2NwLXVzLWNlbnRyYWw/recover?key=1&locale=en')).toBe(
      'Z2NwLXVzLWNlbnRyYWw',
    )
    expect(tokenIn('https://a.example/cart')).toBeNull()
  })
})

describe('a customer', () => {
  test('has consents and purchases', async () => {
    const one = await opened()
    const pages = await collectRows(one.client.customers({}))
    const rows = pages.flatMap((page) => page.rows)
    expect(pages.at(-1)?.isLast).toBe(true)
    const walter = rows.find(({ firstName }) => firstName === 'Walter')!
    expect(walter).toMatchObject({
      email: 'walter.oakes@example.com',
      phone: '+15035550114',
      ordersCount: 0,
      spentMinor: 0,
    })
    expect(walter.consents).toEqual([
      { channel: 'email', state: 'granted', level: 'double', at: expect.any(String), wording: null },
      { channel: 'sms', state: 'none', level: 'unknown', at: null, wording: null },
      { channel: 'whatsapp', state: 'granted', level: 'single', at: expect.any(String), wording: null },
    ])
    const priya = rows.find(({ firstName }) => firstName === 'Priya')!
    expect(priya.consents?.[0]).toMatchObject({ channel: 'email', state: 'withdrawn' })
    expect(await one.client.customer(walter.customerId)).toEqual(walter)
    expect(await one.client.customer('12')).toBeNull()
  })

  test.each([
    ['SUBSCRIBED', 'granted'],
    ['UNSUBSCRIBED', 'withdrawn'],
    ['REDACTED', 'withdrawn'],
    ['PENDING', 'none'],
    ['NOT_SUBSCRIBED', 'none'],
    ['INVALID', 'none'],
    ['NEVER_SUBSCRIBED', 'none'],
    ['SOMETHING_NEW', 'none'],
  ])('reads %s as %s', (marketingState, state) => {
    const reading = readCustomer({ id: 'gid://shopify/Customer/7', defaultEmailAddress: { marketingState } })
    expect(reading).toMatchObject({ row: { consents: [{ channel: 'email', state }] } })
  })
})
