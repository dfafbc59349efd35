import { expect, test } from 'vitest'
import { DEFAULT_BRAND_FIELDS } from '../../../shared/messages/brand.ts'
import { buildTea, createShop, HOUR } from '../../../test/shop.ts'
import { createWorld } from '../../../test/world.ts'
import { getReadyEmail } from '../../messages/templates/ready-emails.ts'

// Amounts and added words are in the language of the owner's text, in the shopper's form of it.

const world = createWorld()

const GERMAN = 'Dein Warenkorb: {{ cart_total }}\n\n{{ checkout_link }}'

test.each([
  { shopper: 'de-AT', store: 'de-DE', text: GERMAN, amount: /€ \d|\$ \d|\$\u00a0\d|\d,\d\d/, lang: 'lang="de-AT"' },
  { shopper: 'pl-PL', store: 'de-DE', text: GERMAN, amount: /\d,\d\d(?:\u00a0|&nbsp;| )\$/, lang: 'lang="de-DE"' },
  { shopper: 'de-DE', store: 'de-DE', text: null, amount: /\$\d+\.\d\d/, lang: 'lang="en-US"' },
  { shopper: 'de-DE', store: null, text: null, amount: /\$\d+\.\d\d/, lang: 'lang="en-US"' },
  { shopper: 'en-GB', store: null, text: null, amount: /US\$\d+\.\d\d/, lang: 'lang="en-GB"' },
])('shopper $shopper in a $store store reads $lang', async ({ shopper, store, text, amount, lang }) => {
  const shop = await createShop(world)
  const email = `${shopper}@shoppers.example.com`
  await shop.fill('one', [buildTea()])
  await shop.type('one', { email })
  const { db } = world
  await db.updateTable('stores').set({ locale: store }).where('id', '=', shop.storeId).execute()
  await db.updateTable('carts').set({ locale: shopper }).where('store_id', '=', shop.storeId).execute()
  if (text !== null) {
    const content = { body: text, design: null, version: 2 }
    await db.updateTable('templates').set(content).where('store_id', '=', shop.storeId).execute()
  }
  await shop.passTime(HOUR)
  const mail = world.sent.find(({ to }) => to === email)!
  expect(mail.html).toMatch(amount)
  expect(mail.html).toContain(lang)
})

test.each([
  { store: 'en-US', isShown: false },
  { store: 'de-AT', isShown: true },
  { store: null, isShown: true },
])('a German design in a $store store shows the promise: $isShown', async ({ store, isShown }) => {
  const shop = await createShop(world)
  const look = { ...DEFAULT_BRAND_FIELDS, promise: 'Ships within two days' }
  await world.request('PUT', '/api/stores/brand', { token: shop.token, body: { ...look, version: 0 } })
  await shop.fill('one', [buildTea()])
  await shop.type('one', { email: 'one@shoppers.example.com' })
  const { db } = world
  await db.updateTable('stores').set({ locale: store }).where('id', '=', shop.storeId).execute()
  const email = getReadyEmail('first_reminder', 'de')
  const content = { ...email, version: 2 }
  await db.updateTable('templates').set(content).where('store_id', '=', shop.storeId).execute()
  await shop.passTime(HOUR)
  const { html, text } = world.sent.findLast(({ to }) => to === 'one@shoppers.example.com')!
  for (const part of [html, text]) expect(part.includes('Ships within two days')).toBe(isShown)
})
