import type { AddressInfo } from 'node:net'
import type { Browser } from 'playwright-core'
import { SMTPServer } from 'smtp-server'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { storeName } from '../providers/woocommerce/shop.ts'
import { type DemoStore, startDemoStore } from '../providers/woocommerce/store.ts'
import { generateCode } from '../test/authenticator.ts'
import { listMails } from './app-instance.ts'
import { closePages, openBrowser } from './browser.ts'
import {
  addUnfinishedOrders,
  createOwner,
  createOwnerWithoutStore,
  findMailLink,
  type ListedCart,
  PASSWORD,
} from './owner.ts'
import { OPERATOR, type SharedInstance, startSharedInstance } from './shared-instances.ts'

const SHOPPERS = ['dora', 'petra'].map((name) => `${name}@customers.example`)
/** Recipients of the mail that the account's own server took. */
const accepted: string[] = []
let instance: SharedInstance
let browser: Browser
let store: DemoStore
let smtp: SMTPServer

beforeAll(async () => {
  smtp = new SMTPServer({
    logger: false,
    allowInsecureAuth: true,
    disabledCommands: ['STARTTLS'],
    disableReverseLookup: true,
    onAuth: ({ password, username }, _session, done) =>
      done(
        password === 'right'
          ? null
          : Object.assign(new Error('5.7.8 Username and password not accepted'), { responseCode: 535 }),
        { user: username },
      ),
    onData(stream, { envelope }, done) {
      stream.resume()
      stream.on('end', () => {
        accepted.push(envelope.rcptTo[0]!.address)
        done(null, 'queued as 7')
      })
    },
  })
  smtp.on('error', () => {})
  await new Promise<void>((resolve) => smtp.listen(0, '127.0.0.1', resolve))
  store = await startDemoStore({ port: 0, dataFile: ':memory:' })
  instance = await startSharedInstance('own')
  browser = await openBrowser()
})

afterAll(async () => {
  if (browser) await closePages(browser)
  await store?.stop()
  await new Promise<void>((resolve) => smtp.close(() => resolve()))
})

/** Signed in with two factors. */
async function openOperator() {
  const page = await (await browser.newContext()).newPage()
  const olga = await createOwnerWithoutStore(instance, page, OPERATOR)
  const { secret } = await olga.ask<{ secret: string }>('POST', '/api/account/second-factor', { password: PASSWORD })
  await olga.ask('POST', '/api/account/second-factor/confirm', { code: generateCode(secret, new Date()) })
  return { page, ...olga }
}

test('mail uses the account’s own server, waits while an operator suspends the account, and continues afterwards', async () => {
  addUnfinishedOrders(store, [
    { status: 'checkout-draft', email: SHOPPERS[0]!, name: 'Dora' },
    { status: 'checkout-draft', email: SHOPPERS[1]!, name: 'Petra' },
  ])
  const page = await (await browser.newContext()).newPage()
  const { ask, email } = await createOwner(instance, store, page)
  await ask('PUT', '/api/stores/settings', { senderName: 'Mugs', postalAddress: '12 Kiln Road, Burlington, VT 05401' })
  const buildServer = (password: string) => ({
    host: '127.0.0.1',
    port: (smtp.server.address() as AddressInfo).port,
    security: 'none',
    user: 'shop@mugs.example',
    password,
    fromAddress: '',
    version: 0,
  })
  const refused = await ask<{ error: string }>('PUT', '/api/sending/mail-server', buildServer('wrong'))
  expect(refused.error).toContain('127.0.0.1 refused the user name and password.')
  expect(await ask('GET', '/api/sending/mail-server')).toMatchObject({ way: 'mailbox', server: null })
  expect(await ask('PUT', '/api/sending/mail-server', buildServer('right'))).toMatchObject({ way: 'own' })
  await ask('POST', '/api/stores/sending/test-mail', {})
  expect(accepted).toEqual([email])
  expect(await ask('GET', '/api/sending/mail-server')).toMatchObject({ acceptedAt: expect.any(String) })

  const fetchCarts = async () => (await ask<{ carts: ListedCart[] }>('GET', '/api/carts/abandoned')).carts
  await expect.poll(async () => (await fetchCarts()).length).toBe(2)
  const cartIds = new Map((await fetchCarts()).map((cart) => [cart.customer_email, cart.id]))
  const remind = (to: string) => ask<object>('POST', '/api/email/send-email', { to, cart_id: cartIds.get(to) })
  const expectAccepted = (...addresses: string[]) => expect.poll(() => accepted).toEqual(addresses)
  expect(await remind(SHOPPERS[0]!)).toMatchObject({ success: true })
  await expectAccepted(email, SHOPPERS[0]!)

  const olga = await openOperator()
  await olga.page.goto(`${instance.url}/operator?search=${encodeURIComponent(email)}`)
  await olga.page.getByRole('link', { name: storeName, exact: true }).click()
  const dialog = olga.page.getByRole('dialog')
  await olga.page.getByRole('button', { name: 'Suspend sending' }).click()
  await dialog.getByLabel('Reason').fill('Bought addresses.')
  await dialog.getByRole('button', { name: 'Suspend sending' }).click()
  await olga.page.getByRole('button', { name: 'Resume sending' }).waitFor()
  expect(await remind(SHOPPERS[1]!)).toMatchObject({ error: expect.stringContaining('Bought addresses.') })
  expect(accepted).toHaveLength(2)
  expect(await findMailLink(instance, email, /suspended/i)).toContain(instance.url)
  await olga.page.getByRole('button', { name: 'Resume sending' }).click()
  await dialog.getByRole('button', { name: 'Resume sending' }).click()
  await olga.page.getByRole('button', { name: 'Suspend sending' }).waitFor()
  expect(await remind(SHOPPERS[1]!)).toMatchObject({ success: true })
  await expectAccepted(email, ...SHOPPERS)
  for (const shopper of SHOPPERS) expect(await listMails(instance, shopper)).toEqual([])
})
