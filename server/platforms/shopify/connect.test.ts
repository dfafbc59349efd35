import { afterEach, expect, test } from 'vitest'
import { openShopifyClient } from '../../../test/shopify-client.ts'

const open: { close(): Promise<void> }[] = []
afterEach(async () => {
  await Promise.all(open.splice(0).map((one) => one.close()))
})

async function opened() {
  const one = await openShopifyClient()
  open.push(one)
  return one
}

const since = '2026-11-25T00:00:00Z'

test.each([
  ['frozen', 'shopify_store_frozen'],
  ['missing', 'shopify_wrong_shop'],
  ['locked', 'shopify_store_paused'],
] as const)('a store that is %s is reported as %s', async (state, code) => {
  const { client, store } = await opened()
  store.controls.setState(state)
  await expect(client.readProfile()).rejects.toMatchObject({ code })
})

test('classifies unknown app, wrong secret, another organization, missing installation and revocation', async () => {
  const { connect, store, client } = await opened()
  const keys = { kind: 'shopify_app', ...store.keys } as const
  const problemWith = (part: object) =>
    connect({ ...keys, ...part })
      .readProfile()
      .then(() => null)
      .catch(({ code }: { code: string }) => code)
  expect(await problemWith({ clientId: 'nobody' })).toBe('shopify_secret_wrong')
  expect(await problemWith({ clientSecret: 'shpss_wrong' })).toBe('shopify_secret_wrong')
  store.controls.setOwner(false)
  expect(await problemWith({})).toBe('shopify_wrong_organization')
  store.controls.setOwner(true)
  await client.readProfile()
  store.controls.uninstall()
  await expect(client.readProfile()).rejects.toMatchObject({ code: 'shopify_app_not_installed' })
  store.controls.install()
  await client.readProfile()
})

test('renews an expired or revoked token', async () => {
  const { client, store, advance } = await opened()
  await client.readProfile()
  store.controls.expireTokens()
  await client.readProfile()
  store.controls.revokeTokens()
  await client.readProfile()
  advance(48 * 3_600_000)
  await client.readProfile()
})

test('waits until a throttled store answers', async () => {
  const { client, store, waits } = await opened()
  store.faults.throttle(7)
  for await (const _ of client.orders({ modifiedSince: since }));
  expect(waits.length).toBe(7)
})
