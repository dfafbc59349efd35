import { beforeEach, describe, expect, test } from 'vitest'
import { campaignTexts } from '../../../shared/marketing/campaigns.ts'
import {
  buildCampaignInput,
  callCampaigns,
  campaignContent,
  contentWithoutCart,
  createCampaign,
  formatStoreDate,
  readCampaign,
  requestCampaign,
  runTick,
} from '../../../test/campaign-scene.ts'
import { type CouponShop, createCouponShop } from '../../../test/discount-scene.ts'
import { readNotifications } from '../../../test/notifications.ts'
import { buildTemplate, createWorld } from '../../../test/world.ts'
import { CAMPAIGN_TEMPLATES } from '../../messages/templates/ready-templates.ts'

// Chosen customers may have no cart, so a message to them must not mention one.

const world = createWorld()
beforeEach(() => {
  world.sent.length = 0
})

/** One shopper abandoned a cart, the other has only bought. */
const buildMixedShop = () => createCouponShop(world, { carts: 1, buyers: 1 })
const toCustomers = (shop: CouponShop, body: object = {}) => ({
  targetAudience: {
    type: 'specific_customers',
    customerEmails: [...shop.orders, ...shop.buyerOrders].map(({ email }) => email),
  },
  content: contentWithoutCart,
  ...body,
})
const second = CAMPAIGN_TEMPLATES.find(({ id }) => id === 'second_reminder')!

describe('a campaign to chosen customers', () => {
  test.each<[string, object]>([
    ['the items', { ...contentWithoutCart, body: 'You left {{ cart_items }}' }],
    ['the total', { ...contentWithoutCart, body: '{% if cart_total %}Total{% endif %}' }],
    ['the way back', { ...contentWithoutCart, body: '{{ checkout_link }}' }],
    ['the total with a coupon', { ...contentWithoutCart, body: '{{ discounted_total }}' }],
    ['a variable in the subject', { ...contentWithoutCart, subject: '{{ cart_total }} waits' }],
    ['a reminder by its name', { ...contentWithoutCart, template: 'first_reminder' }],
    ['a reminder by its subject', { ...contentWithoutCart, subject: second.subject }],
  ])('with %s is rejected', async (_, content) => {
    const shop = await buildMixedShop()
    const reply = await requestCampaign(world, shop, toCustomers(shop, { content }))
    expect([reply.status, reply.body.error]).toEqual([422, campaignTexts.cartWords])
    expect((await callCampaigns(world, shop, 'GET', '')).body.campaigns).toEqual([])
  })

  test('is rejected for cart wording after an edit, and when an abandoned-cart campaign changes to it', async () => {
    const shop = await buildMixedShop()
    const { id } = await createCampaign(world, shop, { schedule: { startDate: formatStoreDate(world, 1) } })
    const turned = toCustomers(shop, { content: campaignContent, schedule: { startDate: formatStoreDate(world, 1) } })
    const refused = await callCampaigns(world, shop, 'PUT', `/${id}`, buildCampaignInput(world, turned))
    expect([refused.status, refused.body.error]).toEqual([422, campaignTexts.cartWords])
    expect((await readCampaign(world, shop, id)).targetAudience.type).toBe('abandoned_carts')
    const allowed = await callCampaigns(
      world,
      shop,
      'PUT',
      `/${id}`,
      buildCampaignInput(world, { ...turned, content: contentWithoutCart }),
    )
    expect(allowed.status).toBe(200)
  })

  test('sends the same neutral text with and without a cart', async () => {
    const shop = await buildMixedShop()
    await createCampaign(world, shop, toCustomers(shop))
    await runTick(world, shop)
    expect(world.sent).toHaveLength(2)
    for (const { subject, text } of world.sent) {
      expect([subject, text?.includes('we have new pots')]).toEqual(['News', true])
      // The footer names the source of the address.
      expect(text!.split('\n--\n')[0]).not.toMatch(/cart/i)
    }
  })

  test('by WhatsApp needs an approved template without cart variables', async () => {
    const shop = await createCouponShop(world, { carts: 1, buyers: 1, plan: 'growth' })
    const refused = await requestCampaign(world, shop, toCustomers(shop, { type: 'whatsapp' }))
    expect([refused.status, refused.body.error]).toEqual([422, campaignTexts.cartTemplate])
    world.textChannels.whatsapp = {
      ...buildTemplate,
      text: 'Hi {{1}}, news of {{2}}',
      variables: ['customer_name', 'store_name'],
    }
    expect((await requestCampaign(world, shop, toCustomers(shop, { type: 'whatsapp' }))).status).toBe(200)
  })

  test('that mentions a cart when its run is due is paused with a reason and cannot be sent manually', async () => {
    const shop = await buildMixedShop()
    const { id } = await createCampaign(world, shop, toCustomers(shop))
    const { template_id } = await world.db
      .selectFrom('campaigns')
      .select('template_id')
      .where('id', '=', id)
      .executeTakeFirstOrThrow()
    await world.db.updateTable('templates').set({ body: campaignContent.body }).where('id', '=', template_id).execute()
    await runTick(world, shop)
    expect(world.sent).toEqual([])
    expect(await readCampaign(world, shop, id)).toMatchObject({ status: 'paused', pausedBy: 'cart_words' })
    const [notice] = (await readNotifications(world, shop.storeId)).filter(({ type }) => type === 'campaign_paused')
    expect(notice!.message).toMatch(/mentions a cart and some customers have none/)
    for (const [method, path] of [
      ['PATCH', `/${id}/play`],
      ['POST', `/${id}/send-now`],
    ] as const) {
      const reply = await callCampaigns(world, shop, method, path)
      expect([reply.status, reply.body.error]).toEqual([422, campaignTexts.cartWords])
    }
  })
})

test('previews the mail of a person without a cart', async () => {
  const shop = await buildMixedShop()
  const preview = (cartId: string) =>
    world.request('POST', '/api/messages/preview', {
      token: shop.token,
      body: {
        cartId,
        channel: 'email',
        subject: 'News',
        body: '{{ store_name }}: {{ cart_items }} {{ checkout_link }}',
      },
    })
  const previewed = await preview('none')
  expect([previewed.status, previewed.body.problem]).toEqual([200, null])
  expect(previewed.body.text).toContain('Visit the shop')
  expect(previewed.body.text).not.toContain('Return to your cart')
  expect((await preview('sample')).body.text).toContain('Return to your cart')
})
