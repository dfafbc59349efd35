import type { Page } from 'playwright-core'
import type { DemoStore } from '../demo/store/store.ts'
import { type AppInstance, mailsTo, readMail, until } from './app-instance.ts'

export const KEYS = { consumerKey: `ck_${'a'.repeat(40)}`, consumerSecret: `cs_${'b'.repeat(40)}` }

/** An owner of a new account with this store connected, signed in on the page. Asks Recoup as its screens do. */
export async function anOwner(instance: AppInstance, store: DemoStore, page: Page) {
  const owner = await anOwnerWithoutStore(instance, page)
  await owner.connect(store)
  return owner
}

/** The same before any store is connected. */
export async function anOwnerWithoutStore(instance: AppInstance, page: Page, email = 'olive@owners.example') {
  let token = ''
  const ask = async <T>(method: string, path: string, body?: object): Promise<T> => {
    const reply = await fetch(instance.url + path, {
      method,
      headers: {
        ...(body && { 'content-type': 'application/json' }),
        ...(token && { authorization: `Bearer ${token}` }),
      },
      ...(body && { body: JSON.stringify(body) }),
    })
    return (await reply.json()) as T
  }
  const owner = { name: 'Olive', email, password: 'four pots on Kiln Road' }
  token = (await ask<{ token: string }>('POST', '/api/auth/register', owner)).token
  await ask('POST', '/api/auth/verify-email', { token: await verificationToken(instance, owner.email) })
  await ask('POST', '/api/subscribe/create-free-subscription', {})
  const connect = (store: DemoStore) => {
    const keys = { consumer_key: KEYS.consumerKey, consumer_secret: KEYS.consumerSecret }
    return ask('POST', '/api/stores/connect-store', { platform: 'woocommerce', store_url: store.url, ...keys })
  }
  // No screen, which would notice the token by itself and go somewhere.
  await page.goto(`${instance.url}/readyz`)
  await page.evaluate((value) => localStorage.setItem('token', value), token)
  return { ask, connect }
}

/** What the mail to somebody who has just registered holds. */
export async function verificationToken(instance: AppInstance, address: string): Promise<string> {
  const found = async () =>
    (await mailsTo(instance, address)).find(({ subject }) => subject === 'Confirm your email address')?.id
  await until(async () => (await found()) !== undefined, 20_000)
  const { text } = await readMail(instance, (await found())!)
  return /verify-email\?token=([\w.-]+)/.exec(text)![1]!
}
