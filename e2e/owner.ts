import crypto from 'node:crypto'
import type { Page } from 'playwright-core'
import type { DemoStore } from '../providers/woocommerce/store.ts'
import { type AppInstance, listMails, readMail, waitUntil } from './app-instance.ts'

// Owners of new accounts, who use the same API as the screens.

export const KEYS = { consumerKey: `ck_${'a'.repeat(40)}`, consumerSecret: `cs_${'b'.repeat(40)}` }
export const PASSWORD = 'four pots on Kiln Road'

export type InstanceUrls = Pick<AppInstance, 'url' | 'mailboxUrl'>

/** Unique per journey. */
export const createAddress = (name: string, domain = 'owners.example') =>
  `${name}-${crypto.randomUUID().slice(0, 8)}@${domain}`

/** Each owner has a client address, because sign-up and sign-in limits count by address. */
export const createClientHeaders = () => ({ 'x-forwarded-for': `10.${[...crypto.randomBytes(3)].join('.')}` })

/** Calls the API with the user's token; an empty string before sign-in. */
export function createApiClient(
  { url }: Pick<InstanceUrls, 'url'>,
  token: () => string = () => '',
  headers = createClientHeaders(),
) {
  const send = (method: string, path: string, body?: object) =>
    fetch(url + path, {
      method,
      headers: {
        ...headers,
        ...(body && { 'content-type': 'application/json' }),
        ...(token() && { authorization: `Bearer ${token()}` }),
      },
      ...(body && { body: JSON.stringify(body) }),
    })
  return {
    ask: async <T>(method: string, path: string, body?: object) => (await (await send(method, path, body)).json()) as T,
    statusOf: async (method: string, path: string, body?: object) => {
      const reply = await send(method, path, body)
      await reply.text()
      return reply.status
    },
  }
}

/** With this store connected, signed in on the page. */
export async function createOwner(place: InstanceUrls, store: DemoStore, page: Page, email?: string) {
  const owner = await createOwnerWithoutStore(place, page, email)
  await owner.connect(store)
  return owner
}

/** With a confirmed address and a plan. */
export async function createOwnerWithoutStore(place: InstanceUrls, page: Page, email = createAddress('olive')) {
  let token = ''
  const { ask, statusOf } = createApiClient(place, () => token)
  const owner = { name: 'Olive', email, password: PASSWORD }
  token = (await ask<{ token: string }>('POST', '/api/auth/register', owner)).token
  await ask('POST', '/api/auth/verify-email', { token: await readVerificationToken(place, owner.email) })
  await ask('POST', '/api/subscribe/create-free-subscription', {})
  const connect = (store: DemoStore) => {
    const keys = { consumer_key: store.keys.consumerKey, consumer_secret: store.keys.consumerSecret }
    return ask('POST', '/api/stores/connect-store', { platform: 'woocommerce', store_url: store.url, ...keys })
  }
  // A page without app code, which would react to the token and navigate.
  await page.goto(`${place.url}/readyz`)
  await page.evaluate((value) => localStorage.setItem('token', value), token)
  return { ask, statusOf, connect, email, token }
}

/** The link in the newest mail to an address with a matching subject. */
export async function findMailLink(place: InstanceUrls, address: string, subject: RegExp): Promise<string> {
  const findNewestMail = async () => (await listMails(place, address)).find((mail) => subject.test(mail.subject))?.id
  await waitUntil(async () => (await findNewestMail()) !== undefined)
  const { text } = await readMail(place, (await findNewestMail())!)
  return /https?:\/\/\S+/.exec(text)![0]
}

/** Content of the mail after registration. */
export async function readVerificationToken(place: InstanceUrls, address: string): Promise<string> {
  const link = await findMailLink(place, address, /^Confirm your email address$/)
  return /verify-email\?token=([\w.-]+)/.exec(link)![1]!
}

/** A cart of the list, in short. */
export interface ListedCart {
  id: string
  customer_email: string
  total: number
  status: string
  state: string
  phone: string
  items: { quantity: number; image_url: string }[]
}

/** Unfinished orders of the store, by shoppers with a phone each: orders with the same phone belong to one shopper. */
export function addUnfinishedOrders(
  store: DemoStore,
  orders: readonly { status: string; email: string; name: string }[],
) {
  const product = store.shop.db.sqlite.prepare('select id from products order by id limit 1').get() as { id: number }
  store.insertOrders(
    orders.map(({ status, email, name }, index) => ({
      status,
      // Pending orders are read once they are a day old.
      createdAt: Math.floor(Date.now() / 1_000) - 26 * 3_600,
      billing: {
        email,
        first_name: name,
        last_name: 'Miller',
        country: 'US',
        state: 'NY',
        phone: `+1 212 555 01${String(index + 10)}`,
      },
      lines: [{ productId: product.id, quantity: 2 }],
    })) as Parameters<DemoStore['insertOrders']>[0],
  )
  return product.id
}
