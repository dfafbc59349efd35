import { expect, it } from 'vitest'
import { checkShopifyKeys, noShopifyKeys, toShopifyKeys } from './shopify-rules.ts'

const form = { ...noShopifyKeys, store_url: 'my-shop' }

it('requires each form’s own fields, with the specification’s texts', { tags: ['A2.4'] }, () => {
  const client = 'Client ID and client secret are required for Shopify'
  expect(checkShopifyKeys(form)).toEqual({ client_id: client, client_secret: client })
  expect(checkShopifyKeys({ ...form, store_url: ' ', client_id: 'id', client_secret: 's' })).toEqual({
    store_url: 'Store URL is required',
  })
  expect(checkShopifyKeys({ ...form, kind: 'token' })).toEqual({
    access_token: 'Access token is required for Shopify',
    api_secret: 'API secret key is required for Shopify',
  })
  expect(checkShopifyKeys({ ...form, kind: 'token', access_token: 'shpat_1', api_secret: 's' })).toEqual({})
})

it('sends only the chosen form’s values', () => {
  const both = { ...form, client_id: ' id ', client_secret: 's', access_token: 't ', api_secret: 'a' }
  expect(toShopifyKeys(both)).toEqual({ client_id: 'id', client_secret: 's' })
  expect(toShopifyKeys({ ...both, kind: 'token' })).toEqual({ access_token: 't', api_secret: 'a' })
})
