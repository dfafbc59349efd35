import sharp from 'sharp'
import { describe, expect, test } from 'vitest'
import type { FlowView } from '../../../shared/marketing/flows.ts'
import { type MailDocument, MailDocumentSchema } from '../../../shared/messages/mail-document.ts'
import { createCampaign, readCampaign, requestCampaign } from '../../../test/campaign-scene.ts'
import { createCouponShop } from '../../../test/discount-scene.ts'
import { buildSavedSteps } from '../../../test/flow-edits.ts'
import { buildSampleDocument, HOSTILE_TEXTS } from '../../../test/mail-documents.ts'
import { createShop, postWithWorker } from '../../../test/manual-send-scene.ts'
import { advanceToAbandoned, createMessageScene, HOUR, passTime } from '../../../test/message-scene.ts'
import { createWorld } from '../../../test/world.ts'

// Emails as documents, in every place of the API that takes the text of an email.

const world = createWorld()

const build = (text: string, rest: object = {}): MailDocument =>
  MailDocumentSchema.parse({
    version: 1,
    theme: 'warm',
    subject: [{ kind: 'text', text: `Subject ${text}` }],
    preview: [],
    bands: [
      {
        id: 'band0002',
        blocks: [
          { id: 'block001', type: 'text', inlines: [{ kind: 'text', text, marks: ['bold'] }] },
          { id: 'block002', type: 'button', label: 'Open my cart' },
        ],
      },
    ],
    footer: {},
    ...rest,
  })
const TEXT = (text: string) => ({ subject: `Subject ${text}`, body: `${text}\n\n{{ checkout_link }}` })

interface Scene {
  token: string
  flowId: string
}
const readFlow = async ({ token, flowId }: Scene): Promise<FlowView> =>
  (await world.request('GET', '/api/flows', { token })).body.flows.find(({ id }: FlowView) => id === flowId)
const save = async (scene: Scene, email: object) => {
  const { name, steps } = await readFlow(scene)
  const body = { name, steps: buildSavedSteps(steps, () => ({})) }
  body.steps[0]!.variants[0]!.words = { email } as never
  return world.request('PUT', `/api/flows/${scene.flowId}`, { token: scene.token, body })
}
const readEmail = async (scene: Scene) => (await readFlow(scene)).steps[0]!.variants[0]!.words.email

describe('an email of a flow', () => {
  test('is stored as a document, with its words as text, until a text replaces it', async () => {
    const scene = await createMessageScene(world)
    await save(scene, { subject: 'Tea', body: 'Warm tea' })
    const opened = await readEmail(scene)
    expect(opened.design).toMatchObject({ theme: 'letter', bands: [{ blocks: expect.any(Array) }] })
    const design = build('Fresh tea')
    expect((await save(scene, { design })).status).toBe(200)
    expect(await readEmail(scene)).toEqual({ ...TEXT('Fresh tea'), design })
    // The text that was read, sent back without the document, keeps it.
    await save(scene, TEXT('Fresh tea'))
    expect(await readEmail(scene)).toEqual({ ...TEXT('Fresh tea'), design })
    await save(scene, TEXT('Old tea'))
    expect(await readEmail(scene)).toMatchObject({ ...TEXT('Old tea'), design: { theme: 'letter' } })
  })

  test('is sent and previewed as the document, and copied with it', async () => {
    const scene = await createMessageScene(world, 1, { plan: 'growth' })
    const design = build('Fresh tea')
    await advanceToAbandoned(world, scene.storeId, HOUR - 1)
    await save(scene, { design })
    const ask = { stepId: (await readFlow(scene)).steps[0]!.id, cartId: 'sample' }
    const preview = async (body: object = {}) =>
      (
        await world.request('POST', `/api/flows/${scene.flowId}/preview`, {
          token: scene.token,
          body: { ...ask, ...body },
        })
      ).body
    expect(await preview()).toMatchObject({ subject: 'Subject Fresh tea', words: { design } })
    expect((await preview()).html).toMatch(/<(b|strong)[^>]*>Fresh tea</)
    const unsaved = await preview({ design: build('Green tea') })
    expect(unsaved).toMatchObject({ subject: 'Subject Green tea', words: { ...TEXT('Green tea') } })
    expect(unsaved.html).toContain('Open my cart')
    await passTime(world, scene.storeId, 1)
    expect(world.sent[0]).toMatchObject({ subject: 'Subject Fresh tea' })
    expect(world.sent[0]!.html).toContain('Open my cart')
    const copy = await world.request('POST', `/api/flows/${scene.flowId}/copy`, { token: scene.token })
    expect(copy.body.flow.steps[0].variants[0].words.email.design).toEqual(design)
  })

  test('is refused with the place of the mistake', async () => {
    const scene = await createMessageScene(world)
    const at = 'steps.0.variants.0.words.email.design'
    const { footer: _, ...withoutFooter } = build('x')
    const image = { id: 'block009', type: 'image', asset: `${'a'.repeat(64)}.png`, width: 9, height: 9, alt: 'Tea' }
    const withBlocks = (...blocks: object[]) => ({ ...build('x'), bands: [{ id: 'band0001', blocks }] })
    const legacy = { id: 'block009', type: 'legacy_text', source: '{{ nobody }}' }
    const refused: [object, number, string, RegExp][] = [
      [withoutFooter, 400, `${at}.footer`, /^Every mail ends with the footer/],
      [{ ...build('x'), color: 'red' }, 400, at, /unknown field/],
      [
        withBlocks({ ...image, alt: '' }),
        400,
        `${at}.bands.0.blocks.0.alt`,
        /^Section 1, block 1: Describe the picture/,
      ],
      [
        withBlocks({ ...image, asset: 'https://a.example/x.png' }),
        400,
        `${at}.bands.0.blocks.0.asset`,
        /uploaded first/,
      ],
      [build('x'.repeat(60)), 200, '', /^$/],
      [{ ...build('x'), subject: [] }, 422, `${at}.subject`, /^Step 1: Enter a subject/],
      [{ ...build('x'), subject: [{ kind: 'text', text: 'x'.repeat(201) }] }, 422, `${at}.subject`, /too long/],
      [
        withBlocks(image),
        422,
        `${at}.bands.0.blocks.0.asset`,
        /Section 1, block 1: This picture belongs to another store or was deleted/,
      ],
      [withBlocks(legacy), 422, at, /nobody/],
      [
        build('Hi {{ first_name }}', { subject: build('x').subject }),
        422,
        `${at}.bands.0.blocks.0.inlines`,
        /^Step 1: Section 1, block 1: \{\{ first_name \}\} is not a value. Choose one under Insert value.$/,
      ],
      [
        { ...build('x'), subject: build('{% if vip %}').subject },
        422,
        `${at}.subject`,
        /^Step 1: \{% if vip %\} is not a value/,
      ],
      [withBlocks({ id: 'block009', type: 'divider' }), 422, `${at}.bands`, /no text/],
    ]
    for (const [design, status, field, message] of refused) {
      const reply = await save(scene, { design })
      expect([reply.status, Object.keys(reply.body.fields ?? {})]).toEqual([status, field ? [field] : []])
      expect(reply.body.error ?? '').toMatch(message)
    }
    const { asset } = (
      await world.request('POST', '/api/stores/mail-images', {
        token: scene.token,
        body: { content: (await draw()).toString('base64') },
      })
    ).body
    expect(
      (await save(scene, { design: withBlocks({ ...image, asset }, { ...legacy, id: 'block010', source: 'Hi' }) }))
        .status,
    ).toBe(200)
  })

  test('has its picture at an address that opens', async () => {
    const scene = await createMessageScene(world, 1)
    await advanceToAbandoned(world, scene.storeId, HOUR - 1)
    const upload = { token: scene.token, body: { content: (await draw()).toString('base64') } }
    const { asset } = (await world.request('POST', '/api/stores/mail-images', upload)).body
    const image = { id: 'block009', type: 'image', asset, width: 40, height: 40, alt: 'Tea' }
    const [band] = build('Fresh tea').bands
    const design = { ...build('Fresh tea'), bands: [{ ...band!, blocks: [...band!.blocks, image] }] }
    expect((await save(scene, { design })).status).toBe(200)
    world.sent.length = 0
    await passTime(world, scene.storeId, 1)
    const src = /<img[^>]*\ssrc="([^"]+)"[^>]*alt="Tea"|<img[^>]*alt="Tea"[^>]*\ssrc="([^"]+)"/.exec(
      world.sent[0]!.html,
    )
    const url = new URL(src![1] ?? src![2]!)
    expect(url.origin).toBe(new URL(world.deps.config.publicUrl).origin)
    const picture = await world.app.inject({ method: 'GET', url: url.pathname })
    expect([picture.statusCode, picture.headers['content-type']]).toEqual([200, 'image/png'])
  })

  test('keeps hostile words as words', async () => {
    const scene = await createMessageScene(world)
    const asset = `${'a'.repeat(32)}.png`
    await world.pool.query(
      `insert into mail_images (store_id, hash, type, width, height, content, created_at) values ($1, $2, 'png', 9, 9, '', now())`,
      [scene.storeId, 'a'.repeat(32)],
    )
    for (const text of HOSTILE_TEXTS) {
      const design = buildSampleDocument('bold', text)
      expect(JSON.stringify(design)).toContain(asset)
      if (/^\{[{%].*[%}]\}$/.test(text)) {
        expect(await save(scene, { design })).toMatchObject({
          status: 422,
          body: { error: `Step 1: ${text} is not a value. Choose one under Insert value.` },
        })
        continue
      }
      const reply = await save(scene, { design })
      expect([text, reply.status, reply.body.error]).toEqual([text, 200, undefined])
      expect((await readEmail(scene)).design).toEqual(design)
      const body = { stepId: (await readFlow(scene)).steps[0]!.id, cartId: 'sample' }
      const shown = (await world.request('POST', `/api/flows/${scene.flowId}/preview`, { token: scene.token, body }))
        .body
      expect([text, shown.problem]).toEqual([text, null])
      // Braces of a subject stand apart (cleanText).
      expect(shown.subject).toContain(text.replaceAll(/\{(?=[{%])/g, '{ '))
      expect(shown.html).not.toMatch(/(?:href|src)="javascript:/)
      expect(shown.html.replaceAll(/"[^"]*"/g, '""')).not.toMatch(/<script|<[^>]*\son[a-z]+=|<h1>out/i)
      const escaped = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
      const readable = shown.html.replaceAll('&quot;', '"').replaceAll('&#39;', "'").replaceAll('&#123;', '{')
      expect(readable).toContain(escaped)
      expect(shown.text).toContain(text)
    }
  }, 60_000)
})

const draw = () =>
  sharp({ create: { width: 40, height: 40, channels: 4, background: '#336699' } })
    .png()
    .toBuffer()

describe('an email of a campaign', () => {
  test('is stored as a document, and kept by a save of its text', async () => {
    const shop = await createShop(world)
    const design = build('Fresh tea')
    const campaign = await createCampaign(world, shop, { content: { design }, schedule: later() })
    expect(campaign.content).toMatchObject({ ...TEXT('Fresh tea'), design })
    const change = async (content: object) => {
      const body = { name: 'Spring', type: 'email', targetAudience: { mode: 'matching' }, content, schedule: later() }
      const reply = await world.request('PUT', `/api/campaigns/${campaign.id}`, { token: shop.token, body })
      expect(reply.status).toBe(200)
      return (await readCampaign(world, shop, campaign.id)).content
    }
    expect((await change(TEXT('Fresh tea'))).design).toEqual(design)
    const wrong = { name: 'Spring', content: { design: { ...design, color: 'red' } }, schedule: later() }
    const refused = await world.request('PUT', `/api/campaigns/${campaign.id}`, { token: shop.token, body: wrong })
    expect([refused.status, Object.keys(refused.body.fields)]).toEqual([400, ['content.design']])
    expect((await change(TEXT('Old tea'))).design).toMatchObject({ theme: 'letter' })
    const reply = await requestCampaign(world, shop, { content: { design: { ...design, subject: [] } } })
    expect([reply.status, reply.body.fields]).toEqual([422, { 'content.subject': 'Enter a subject.' }])
    const templates = (await world.request('GET', '/api/campaigns/templates', { token: shop.token })).body
    expect(templates.quickSend[0].design.bands[0].blocks.length).toBeGreaterThan(2)
  })

  test('sent to all is sent as the document', async () => {
    const shop = await createShop(world)
    const body = { design: build('Fresh tea') }
    const reply = await world.request('POST', '/api/campaigns/send-to-abandoned-carts', { token: shop.token, body })
    expect(reply.body.campaign.content).toMatchObject({ ...TEXT('Fresh tea'), design: body.design })
  })
})

const later = () => ({ startDate: new Date(world.now.getTime() + 5 * 86_400_000).toISOString().slice(0, 10) })

describe('a manual mail', () => {
  test('to a cart is sent as the document', async () => {
    const shop = await createShop(world)
    world.sent.length = 0
    const body = { to: shop.orders[0]!.email, cart_id: shop.cartIds[0], design: build('Fresh tea') }
    const reply = await postWithWorker(world, shop, '/api/email/send-email', body)
    expect(reply.status).toBe(200)
    expect(world.sent[0]).toMatchObject({ subject: 'Subject Fresh tea' })
    expect(world.sent[0]!.html).toContain('Open my cart')
    const stored = await world.db
      .selectFrom('manual_messages')
      .selectAll()
      .where('store_id', '=', shop.storeId)
      .execute()
    expect(stored).toMatchObject([{ ...TEXT('Fresh tea'), design: body.design }])
  })

  test('with a coupon is previewed and sent as the document', async () => {
    const shop = await createCouponShop(world)
    const design = build('Fresh tea')
    const { token, couponId } = shop
    const offer = { customer: shop.people[0], couponId, design }
    const shown = await world.request('POST', '/api/email/discount-preview', { token, body: offer })
    expect(shown.body).toMatchObject({ subject: 'Subject Fresh tea', words: { design } })
    const body = { customers: [...shop.people, ...shop.buyers], couponId, design }
    expect((await world.request('POST', '/api/email/send-discount-offers', { token, body })).status).toBe(200)
    const stored = await world.db
      .selectFrom('manual_messages')
      .selectAll()
      .where('store_id', '=', shop.storeId)
      .execute()
    expect(stored.map((row) => row.design)).toEqual([design, design])
  })
})
