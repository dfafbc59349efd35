import sharp from 'sharp'
import { expect, test } from 'vitest'
import { type MailDocument, MailDocumentSchema } from '../../../shared/messages/mail-document.ts'
import { imageTexts } from '../../../shared/workspace/mail-images.ts'
import { createStore, type TestStore } from '../../../test/factories.ts'
import { createShop, postWithWorker } from '../../../test/manual-send-scene.ts'
import { createWorld } from '../../../test/world.ts'
import { findMissingImages } from './images.ts'
import { buildAssetsUrl } from './rules.ts'

const world = createWorld()

const draw = (width = 1_600, height = 400, background = '#336699') =>
  sharp({ create: { width, height, channels: 4, background } })

const upload = (store: TestStore, bytes: Buffer) =>
  world.request('POST', '/api/stores/mail-images', { token: store.token, body: { content: bytes.toString('base64') } })
const list = async (store: TestStore) =>
  (await world.request('GET', '/api/stores/mail-images', { token: store.token })).body.images

const open = (store: TestStore, asset: string) =>
  world.app.inject({ method: 'GET', url: `${buildAssetsUrl('', store.storeId)}/${asset}` })

test('a picture is scaled to a mail, encoded again and served for good', async () => {
  const store = await createStore(world)
  const withData = await draw()
    .withExif({ IFD0: { Artist: 'Ada' } })
    .jpeg()
    .toBuffer()
  const { status, body } = await upload(store, withData)
  expect([status, body]).toEqual([
    200,
    { asset: expect.stringMatching(/^[0-9a-f]{64}\.jpg$/), width: 1_200, height: 300 },
  ])
  const served = await open(store, body.asset)
  expect(served.headers).toMatchObject({
    'content-type': 'image/jpeg',
    'cache-control': 'public, max-age=31536000, immutable',
    'content-security-policy': "default-src 'none'; sandbox",
  })
  expect((await sharp(served.rawPayload).metadata()).exif).toBeUndefined()
  const png = await upload(store, await draw(40, 40).png().toBuffer())
  expect((await upload(store, withData)).body).toEqual(body)
  expect(await list(store)).toEqual(expect.arrayContaining([body, png.body]))
  expect(await list(store)).toHaveLength(2)
})

test('rejects a file that is not a picture, or too large, with a sentence', async () => {
  const store = await createStore(world)
  const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>')
  expect(await upload(store, svg)).toMatchObject({
    status: 422,
    body: { error: 'Mail programs do not show SVG pictures. Choose a PNG, JPEG or GIF file.' },
  })
  expect((await upload(store, Buffer.alloc(710 * 1024))).body.fields).toEqual({ content: imageTexts.tooLarge })
  expect(await list(store)).toEqual([])
})

test('a picture belongs to one store', async () => {
  const [store, other] = [await createStore(world), await createStore(world)]
  const { asset } = (await upload(store, await draw(40, 40).png().toBuffer())).body
  expect((await open(other, asset)).statusCode).toBe(404)
  expect((await open(store, asset.replace('.png', '.jpg'))).statusCode).toBe(404)
  expect(await list(other)).toEqual([])
  const find = ({ storeId }: TestStore) =>
    findMissingImages({ storeId, db: world.db }, [asset, `${'a'.repeat(64)}.png`])
  expect([...(await find(store))]).toEqual([`${'a'.repeat(64)}.png`])
  expect([...(await find(other))]).toEqual([asset, `${'a'.repeat(64)}.png`])
})

test('a store keeps 200 pictures, and deletes none that an email has', async () => {
  const store = await createStore(world)
  const { storeId } = store
  const hash = (n: number) => String(n).padStart(64, '0')
  await world.pool.query(
    `insert into mail_images (store_id, hash, type, width, height, content, created_at)
     select $1, lpad(n::text, 64, '0'), 'png', 9, 9, '', $2::timestamptz - interval '1 year' - n * interval '1 day' from generate_series(1, 200) n`,
    [storeId, world.deps.now()],
  )
  const keep = (...numbers: number[]) =>
    world.pool.query(
      `insert into templates (store_id, id, key, name, subject, body, design, updated_at)
       values ($1, gen_random_uuid(), 'k', 'N', 'S', 'B', $2, now())`,
      [storeId, JSON.stringify({ blocks: numbers.map((n) => ({ asset: `${hash(n)}.png` })) })],
    )
  const isStored = async (n: number) =>
    (await findMissingImages({ storeId, db: world.db }, [`${hash(n)}.png`])).size === 0
  await keep(200)
  expect((await upload(store, await draw(40, 40).png().toBuffer())).status).toBe(200)
  expect([await isStored(200), await isStored(199), await isStored(198)]).toEqual([true, false, true])
  await keep(...Array.from({ length: 198 }, (_, at) => at + 1))
  // A picture uploaded today may be in an unsaved email.
  expect(await upload(store, await draw(41, 41).png().toBuffer())).toMatchObject({
    status: 422,
    body: { error: imageTexts.full },
  })
})

test('pictures of sent mails are kept for 90 days after the email has others', async () => {
  const shop = await createShop(world)
  const { storeId } = shop
  const hash = (n: number) => String(n).padStart(64, '0')
  await world.pool.query(
    `insert into mail_images (store_id, hash, type, width, height, content, created_at)
     select $1, lpad(n::text, 64, '0'), 'png', 9, 9, '', $2::timestamptz - interval '1 year' - n * interval '1 day' from generate_series(1, 200) n`,
    [storeId, world.deps.now()],
  )
  const isStored = async (n: number) =>
    (await findMissingImages({ storeId, db: world.db }, [`${hash(n)}.png`])).size === 0
  // The oldest is in an email, the next one in a manual mail, which is sent.
  const design = (n: number) =>
    MailDocumentSchema.parse({
      version: 1,
      theme: 'warm',
      subject: [{ kind: 'text', text: 'Tea' }],
      preview: [],
      bands: [
        {
          id: 'band0002',
          blocks: [
            { id: 'block001', type: 'image', asset: `${hash(n)}.png`, width: 9, height: 9, alt: 'Tea' },
            { id: 'block002', type: 'button' },
          ],
        },
      ],
      footer: {},
    })
  const setTemplate = (content: MailDocument | null, updated_at: Date) =>
    world.db.updateTable('templates').set({ design: content, updated_at }).where('store_id', '=', storeId).execute()
  const ago = (days: number) => new Date(world.now.getTime() - days * 86_400_000)
  await setTemplate(design(200), ago(200))
  const mail = { to: shop.orders[0]!.email, cart_id: shop.cartIds[0], design: design(199) }
  expect((await postWithWorker(world, shop, '/api/email/send-email', mail)).status).toBe(200)
  const send = (sending_at: Date) =>
    world.db.updateTable('messages').set({ sending_at }).where('store_id', '=', storeId).execute()
  const add = async (size: number) =>
    expect((await upload(shop, await draw(size, 40).png().toBuffer())).status).toBe(200)

  await setTemplate(null, ago(89))
  await send(ago(89))
  await add(40)
  expect([await isStored(200), await isStored(199), await isStored(198)]).toEqual([true, true, false])
  await setTemplate(design(200), ago(200))
  await setTemplate(null, ago(91))
  await send(ago(91))
  await add(41)
  await add(42)
  expect([await isStored(200), await isStored(199), await isStored(197)]).toEqual([false, false, true])
})
