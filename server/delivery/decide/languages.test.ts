import { expect, test } from 'vitest'
import { buildTea, createShop, HOUR } from '../../../test/shop.ts'
import { createWorld } from '../../../test/world.ts'

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
