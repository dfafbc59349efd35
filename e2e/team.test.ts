import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { closePages, openBrowser } from './browser.ts'
import {
  createAddress,
  createApiClient,
  createClientHeaders,
  createOwnerWithoutStore,
  findMailLink,
  PASSWORD,
} from './owner.ts'
import { type SharedInstance, startSharedInstance } from './shared-instances.ts'

let instance: SharedInstance
let browser: Browser

beforeAll(async () => {
  instance = await startSharedInstance('own')
  browser = await openBrowser()
})

afterAll(() => closePages(browser))

test('a teammate joins by mail, is limited by the role, and is signed out when the account is deleted', {
  tags: ['A6'],
}, async () => {
  const openPage = async () => (await browser.newContext({ extraHTTPHeaders: createClientHeaders() })).newPage()
  const owner = await createOwnerWithoutStore(instance, await openPage())
  const email = createAddress('mia', 'team.example')
  await owner.ask('POST', '/api/team/invitations', { email, role: 'viewer' })
  const mia = await openPage()
  await mia.goto(await findMailLink(instance, email, /invited you to/))
  await mia.getByLabel('Your name').fill('Mia Member')
  await mia.getByLabel('Password', { exact: true }).fill(PASSWORD)
  await mia.getByLabel('Repeat password').fill(PASSWORD)
  await mia.getByRole('button', { name: 'Join Olive' }).click()
  await mia.waitForURL('**/store-setup')
  const token = (await mia.evaluate(() => localStorage.getItem('token')))!
  const { statusOf } = createApiClient(instance, () => token)
  const invite = () => statusOf('POST', '/api/team/invitations', { email: createAddress('x'), role: 'viewer' })
  const giveRole = (role: string) => owner.ask('PATCH', `/api/team/members/${member.userId}`, { role })
  const { members } = await owner.ask<{ members: { userId: string; email: string }[] }>('GET', '/api/team')
  const member = members.find((each) => each.email === email)!
  expect(await invite()).toBe(403)
  expect(await statusOf('POST', '/api/subscribe/create-free-subscription')).toBe(403)
  expect(await statusOf('POST', '/api/account/delete', { confirmation: 'delete', password: PASSWORD })).toBe(403)
  await giveRole('admin')
  expect(await invite()).toBe(200)
  await giveRole('viewer')
  expect(await invite()).toBe(403)

  expect(await owner.statusOf('POST', '/api/account/delete', { confirmation: 'delete', password: PASSWORD })).toBe(200)
  await mia.reload()
  await mia.waitForURL('**/login')
  await mia.getByText('Your session has expired. Please sign in again.').waitFor()
  expect(await owner.statusOf('GET', '/api/auth/me')).toBe(401)
  expect(await owner.statusOf('POST', '/api/auth/login', { email: owner.email, password: PASSWORD })).toBe(401)
})
