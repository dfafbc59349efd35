import { expect, test } from 'vitest'
import { buildTea, createShop, HOUR } from '../../../test/shop.ts'
import { createWorld } from '../../../test/world.ts'

// A mail follows the shopper's language.

const world = createWorld()

test.each([
  ['de-DE', 'shop', /\d,\d\d(?:\u00a0|&nbsp;| )\$/, 'lang="de'],
  ['en-US', 'shop', /\$\d/, 'lang="en'],
] as const)('a mail to a shopper of locale %s has its amounts and language', async (locale, source, amount, lang) => {
  const shop = await createShop(world)
  const email = `${locale}@shoppers.example.com`
  await shop.fill('one', [buildTea()])
  await shop.type('one', { email })
  await world.db.updateTable('carts').set({ locale }).where('store_id', '=', shop.storeId).execute()
  await world.db
    .updateTable('shoppers')
    .set({ locale, locale_source: source })
    .where('store_id', '=', shop.storeId)
    .execute()
  await shop.passTime(HOUR)
  const mail = world.sent.find(({ to }) => to === email)!
  expect(mail.html).toMatch(amount)
  expect(mail.html).toContain(lang)
})
