import { expect, test } from 'vitest'
import { audienceTexts } from '../../../shared/marketing/audience.ts'
import { ERASE_WORD } from '../../../shared/workspace/privacy.ts'
import { callCampaigns, createCampaign, readCampaign, requestCampaign, runTick } from '../../../test/campaign-scene.ts'
import { createShop, type Shop } from '../../../test/manual-send-scene.ts'
import { createWorld } from '../../../test/world.ts'

// SMS and WhatsApp campaigns to people without an email, chosen by phone number.

const world = createWorld()
const message = { content: { body: 'Hi {{ customer_name }} {{ checkout_link }}' } }

/** The number from the cart of a shopper whose email has been deleted. */
async function readNumber(shop: Shop, index: number): Promise<string> {
  const { phone, shopper_id } = await world.db
    .selectFrom('carts')
    .select(['phone', 'shopper_id'])
    .where('store_id', '=', shop.storeId)
    .where('id', '=', shop.cartIds[index]!)
    .executeTakeFirstOrThrow()
  await world.db.updateTable('carts').set({ email: null }).where('shopper_id', '=', shopper_id).execute()
  await world.db.updateTable('shoppers').set({ email: null }).where('id', '=', shopper_id).execute()
  await world.db.deleteFrom('shopper_keys').where('shopper_id', '=', shopper_id).where('kind', '=', 'email').execute()
  return phone!
}

test('an SMS campaign reaches people chosen by number who have no email', async () => {
  const shop = await createShop(world, 3)
  const phone = await readNumber(shop, 0)
  const spaced = `${phone.slice(0, 5)} ${phone.slice(5)}`
  const customerEmails = [shop.orders[1]!.email]
  const targetAudience = { mode: 'selected', customerEmails, customerPhones: [spaced, phone, 'nonsense'] }
  const counted = await callCampaigns(world, shop, 'POST', '/audience', { type: 'sms', targetAudience })
  expect([counted.body.total, counted.body.eligible]).toEqual([2, 2])
  world.texts.length = 0
  const { id } = await createCampaign(world, shop, { type: 'sms', ...message, targetAudience })
  expect((await readCampaign(world, shop, id)).targetAudience).toMatchObject({
    customerEmails,
    customerPhones: [phone],
  })
  await runTick(world, shop)
  expect(world.texts.map(({ to }) => to).sort()).toEqual([phone, shop.orders[1]!.phone].sort())
})

test('an email campaign rejects phone numbers, and a campaign accepts at most a thousand people', async () => {
  const shop = await createShop(world, 1)
  const phone = await readNumber(shop, 0)
  const selected = (more: object) => ({ targetAudience: { mode: 'selected', ...more } })
  const mail = await requestCampaign(world, shop, selected({ customerPhones: [phone] }))
  expect([mail.status, mail.body.fields]).toEqual([422, { customerPhones: audienceTexts.phonesOfMail }])
  const emails = Array.from({ length: 1_000 }, (_, n) => `${n}@many.example`)
  const many = { type: 'sms', ...message, ...selected({ customerEmails: emails, customerPhones: [phone] }) }
  const refused = await requestCampaign(world, shop, many)
  expect([refused.status, Object.values(refused.body.fields)]).toEqual([400, [audienceTexts.tooMany]])
})

test('erasing a person deletes their number from the campaign', async () => {
  const shop = await createShop(world, 2)
  const phone = await readNumber(shop, 0)
  const targetAudience = { mode: 'selected', customerEmails: [shop.orders[1]!.email], customerPhones: [phone] }
  const { id } = await createCampaign(world, shop, { type: 'sms', ...message, targetAudience })
  const erased = await world.request('DELETE', `/api/privacy/${encodeURIComponent(phone)}`, {
    token: shop.token,
    body: { confirmation: ERASE_WORD },
  })
  expect(erased.status).toBe(202)
  await world.runJobs()
  expect((await readCampaign(world, shop, id)).targetAudience.customerPhones).toEqual([])
})
