import { mkdirSync } from 'node:fs'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type AppInstance, anAppInstance, mailsTo, readMail, until } from './app-instance.ts'
import { axeOf } from './axe.ts'
import { openBrowser } from './browser.ts'

// People: an owner invites somebody by mail, who joins as a viewer and is held to that; sessions, a new address, the end of it all.

const OLIVE = 'olive@owners.example'
const MIA = 'mia@team.example'
const PASSWORD = 'four pots on Kiln Road'
let instance: AppInstance
let browser: Browser
let owner: Page
let mia: Page

beforeAll(async () => {
  instance = await anAppInstance({ DEMO: 'off' })
  browser = await openBrowser()
  owner = await (await browser.newContext({ reducedMotion: 'reduce' })).newPage()
  mia = await (await browser.newContext({ reducedMotion: 'reduce' })).newPage()
})

afterAll(async () => {
  await browser?.close()
  await instance?.stop()
})

async function linkTo(address: string, subject: RegExp): Promise<string> {
  let found: number | undefined
  await until(async () => {
    found = (await mailsTo(instance, address)).find((mail) => subject.test(mail.subject))?.id
    return found !== undefined
  }, 20_000)
  const { text } = await readMail(instance, found!)
  return /https?:\/\/\S+/.exec(text)![0]
}

const tokenOf = (page: Page) =>
  page.evaluate(() => localStorage.getItem('token') ?? sessionStorage.getItem('token') ?? '')

async function statusOf(page: Page, method: string, path: string, body?: object): Promise<number> {
  const reply = await fetch(instance.url + path, {
    method,
    headers: { authorization: `Bearer ${await tokenOf(page)}`, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  })
  return reply.status
}

async function signIn(page: Page, email: string, password: string) {
  await page.goto(`${instance.url}/login`)
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
}

test('wrong attempts are counted, and the button counts down the time that remains', async () => {
  await owner.goto(`${instance.url}/login`)
  await owner.getByLabel('Email').fill('nobody@owners.example')
  await owner.getByLabel('Password', { exact: true }).fill('wrong')
  for (let wrong = 0; wrong < 5; wrong += 1) {
    const answered = owner.waitForResponse('**/api/auth/login')
    await owner.getByRole('button', { name: 'Sign in', exact: true }).click()
    await (await answered).finished()
    await owner.getByText('Login failed. Please check your credentials.').waitFor()
  }
  await owner.getByRole('button', { name: 'Sign in', exact: true }).click()
  await owner.getByText('Too many attempts. Please try again in 15 minutes.').waitFor()
  const wait = owner.getByRole('button', { name: /Try again in \d+:\d\d/ })
  await wait.waitFor()
  expect(await wait.isDisabled()).toBe(true)
  // Another address need not wait for this one.
  await owner.getByLabel('Email').fill(OLIVE)
  await owner.getByRole('button', { name: 'Sign in', exact: true }).waitFor()
})

test('what was typed goes along from mode to mode, and a new password says how strong it is', async () => {
  await owner.getByRole('button', { name: 'Forgot password?' }).click()
  expect(await owner.getByLabel('Email').inputValue()).toBe(OLIVE)
  expect(await owner.evaluate(() => (document.activeElement as HTMLInputElement).name)).toBe('email')
  await owner.getByRole('button', { name: 'Back to sign-in' }).click()
  await owner.getByRole('link', { name: 'Create an account' }).click()
  await owner.waitForURL('**/register')
  expect(await owner.getByLabel('Email').inputValue()).toBe(OLIVE)
  await owner.getByLabel('Password', { exact: true }).fill('12345')
  await owner.getByText('Too short').waitFor()
  await owner.getByLabel('Password', { exact: true }).fill(PASSWORD)
  await owner.getByText('Strong').waitFor()
  await owner.getByLabel('Name').fill('Olive Owner')
  await owner.getByLabel('Repeat password').fill(PASSWORD)
  // Of whoever worked at this browser before.
  await owner.evaluate(() => localStorage.setItem('storeUrl', 'https://shop.example'))
  await owner.getByRole('button', { name: 'Create account' }).click()
  await owner.waitForURL('**/pricing')
  expect(await owner.evaluate(() => Object.keys(localStorage).sort())).toEqual(['token', 'user'])
})

test('an address is confirmed by the link mailed to it, and until then no invitation leaves', async () => {
  await owner.goto(`${instance.url}/settings/account`)
  await owner.getByText('Confirm your email address.', { exact: true }).waitFor()
  await owner.getByText('(not confirmed yet)').waitFor()
  const { violations } = await axeOf(owner).analyze()
  expect(violations.map(({ id, nodes }) => [id, nodes[0]?.html])).toEqual([])
  await owner.getByLabel('Invite by email').fill(MIA)
  await owner.getByRole('button', { name: 'Send invitation' }).click()
  await owner.getByText('Confirm your email address first').waitFor()
  await owner.getByRole('button', { name: 'Send link again' }).click()
  await owner.getByText('A confirmation link is on its way to this server’s built-in mailbox.').first().waitFor()
  await owner.goto(await linkTo(OLIVE, /Confirm your email address/))
  await owner.getByRole('button', { name: 'Confirm this address' }).click()
  await owner.getByText('Your email address is confirmed.').waitFor()
  await owner.getByRole('heading', { level: 1, name: 'Email address confirmed' }).waitFor()
  await owner.goto(`${instance.url}/settings/account`)
  await owner.getByText(OLIVE).first().waitFor()
  expect(await owner.getByText('(not confirmed yet)').count()).toBe(0)
})

test('an owner invites by mail; the link brings a new user in, with the role of the invitation', async () => {
  await owner.goto(`${instance.url}/settings/account`)
  await owner.getByLabel('Invite by email').fill(MIA)
  await owner.getByLabel('Role', { exact: true }).selectOption('viewer')
  await owner.getByRole('button', { name: 'Send invitation' }).click()
  await owner.getByText('Invited', { exact: true }).waitFor()
  await mia.goto(await linkTo(MIA, /invited you to/))
  await mia.getByRole('heading', { name: 'Join Olive Owner' }).waitFor()
  await mia.getByLabel('Your name').fill('Mia Member')
  await mia.getByLabel('Password', { exact: true }).fill(PASSWORD)
  await mia.getByLabel('Repeat password').fill(PASSWORD)
  await mia.getByRole('button', { name: 'Join Olive Owner' }).click()
  // The account has no plan yet, and a viewer cannot choose one: she learns who can.
  await mia.waitForURL('**/pricing')
  await mia.getByText('only an owner or admin of it can choose one').waitFor()
  await mia.getByRole('link', { name: OLIVE }).waitFor()
  expect(await mia.getByRole('button', { name: /^(Start with|Continue with|Choose) / }).count()).toBe(0)
  await mia.goto(`${instance.url}/settings/account`)
  await mia.getByText('You are a viewer of this account').waitFor()
  expect(await mia.getByLabel('Invite by email').count()).toBe(0)
  expect(await mia.getByRole('button', { name: 'Delete account' }).count()).toBe(0)
})

test('the role is held by the server, and another one counts at once', async () => {
  const invite = () => statusOf(mia, 'POST', '/api/team/invitations', { email: 'x@team.example', role: 'viewer' })
  const give = async (role: string) => {
    await owner.getByRole('button', { name: /^Role of Mia Member/ }).press('Enter')
    await owner.getByRole('menu').waitFor()
    await owner.waitForFunction(() => document.getAnimations().every(({ playState }) => playState !== 'running'))
    // That what floats lies outside the landmarks is no fault.
    const { violations } = await axeOf(owner).disableRules('region').analyze()
    expect(violations.map(({ id, nodes }) => [id, nodes[0]?.html])).toEqual([])
    await owner.getByRole('menuitem', { name: new RegExp(`^${role}`) }).press('Enter')
  }
  expect(await invite()).toBe(403)
  expect(await statusOf(mia, 'POST', '/api/subscribe/create-free-subscription')).toBe(403)
  expect(await statusOf(mia, 'POST', '/api/account/delete', { confirmation: 'delete', password: PASSWORD })).toBe(403)
  await owner.reload()
  await give('Admin')
  await owner.getByText('Mia Member is now admin.').waitFor()
  expect(await invite()).toBe(200)
  await give('Viewer')
  await owner.getByText('Mia Member is now viewer.').waitFor()
  expect(await invite()).toBe(403)
})

test('every session is listed; one, and all others, can be signed out from here', async () => {
  const other = await (await browser.newContext({ reducedMotion: 'reduce' })).newPage()
  await signIn(other, MIA, PASSWORD)
  await other.waitForURL('**/pricing')
  await mia.reload()
  await mia.getByText('This session').waitFor()
  const others = mia.getByRole('button', { name: /^Sign out Chrome on/ })
  await others.first().waitFor()
  await others.first().click()
  await mia.getByText('is signed out').first().waitFor()
  await other.goto(`${instance.url}/settings`)
  await other.waitForURL('**/login')
  await other.getByText('Your session has expired. Please sign in again.').waitFor()
  await signIn(other, MIA, PASSWORD)
  await other.waitForURL('**/pricing')
  await mia.reload()
  await mia.getByRole('button', { name: 'Sign out all others' }).click()
  await mia.getByRole('dialog').getByRole('button', { name: 'Sign out all others' }).click()
  await mia.getByText('1 other session signed out').waitFor()
  expect(await statusOf(other, 'GET', '/api/auth/me')).toBe(401)
  expect(await statusOf(mia, 'GET', '/api/auth/me')).toBe(200)
  await other.context().close()
})

test('a new address counts once its link was followed', async () => {
  await mia.getByRole('button', { name: 'Change email' }).click()
  await mia.getByLabel('New email').fill('mia@new.example')
  await mia.getByRole('dialog').getByLabel('Your password').fill(PASSWORD)
  await mia.getByRole('button', { name: 'Send link' }).click()
  await mia.getByText('The link for mia@new.example is in this server’s built-in mailbox.').waitFor()
  await mia.goto(await linkTo('mia@new.example', /Confirm your new/))
  await mia.getByRole('button', { name: 'Use this address' }).click()
  await mia.getByText('Your email address is changed.').waitFor()
  await mia.getByRole('heading', { level: 1, name: 'Email address changed' }).waitFor()
  expect(await mia.title()).toBe('Email address changed · Recoup')
  const subjects = async () => (await mailsTo(instance, MIA)).map((mail) => mail.subject).join('\n')
  await expect.poll(subjects).toMatch(/requested[\s\S]*was changed|was changed[\s\S]*requested/)
  await mia.goto(`${instance.url}/settings/account`)
  await mia.getByText('mia@new.example').first().waitFor()
})

test('the old address takes the change back, with a new password, and nobody stays signed in', async () => {
  const other = await (await browser.newContext({ reducedMotion: 'reduce' })).newPage()
  await other.goto(await linkTo(MIA, /Your email address was changed/))
  await other.getByLabel('New password', { exact: true }).fill(PASSWORD)
  await other.getByLabel('Repeat new password').fill(`${PASSWORD}!`)
  await other.getByRole('button', { name: 'Undo the change' }).click()
  await other.getByText('Passwords do not match').waitFor()
  await other.getByLabel('Repeat new password').fill(PASSWORD)
  await other.getByRole('button', { name: 'Undo the change' }).click()
  await other.getByText(`The change is undone. Sign in with ${MIA}`).waitFor()
  await other.getByRole('heading', { level: 1, name: 'Email change undone' }).waitFor()
  expect(await statusOf(mia, 'GET', '/api/auth/me')).toBe(401)
  await other.context().close()
  await signIn(mia, MIA, PASSWORD)
  await mia.waitForURL('**/pricing')
})

test('what only a team sees is accessible in three themes and fits a phone', async () => {
  const shots = process.env.SCREENSHOTS
  if (shots) mkdirSync(shots, { recursive: true })
  const themes = ['light', 'dark', 'blue']
  await owner.reload()
  const guest = await (await browser.newContext({ reducedMotion: 'reduce' })).newPage()
  await statusOf(owner, 'POST', '/api/team/invitations', { email: 'nina@team.example', role: 'member' })
  const invitation = await linkTo('nina@team.example', /invited you to/)
  const screens: [Page, string, string][] = [
    [owner, '/settings/account', 'account'],
    [mia, '/settings/account', 'account-viewer'],
    [guest, invitation.replace(instance.url, ''), 'invite'],
    [guest, '/confirm-email?token=x', 'confirm-email'],
    [guest, '/undo-email?token=x', 'undo-email'],
    [guest, '/verify-email?token=x', 'verify-email'],
  ]
  let turn = 0
  for (const [page, path, name] of screens) {
    // Pictures are taken in every combination; a look for faults needs each screen in each width, and each theme often.
    await page.goto(instance.url + path)
    await page.getByRole('heading', { level: 1 }).first().waitFor()
    for (const width of [1280, 360]) {
      await page.setViewportSize({ width, height: 900 })
      for (const theme of shots ? themes : [themes[turn++ % 3]!]) {
        // As another tab's choice arrives: at once, without loading the page again.
        await page.evaluate((chosen) => {
          localStorage.setItem('theme', chosen)
          dispatchEvent(new StorageEvent('storage', { key: 'theme' }))
        }, theme)
        await page.waitForFunction((chosen) => document.documentElement.dataset.theme === chosen, theme)
        await page.waitForFunction(() => document.getAnimations().every(({ playState }) => playState !== 'running'))
        const { violations } = await axeOf(page).analyze()
        expect(violations.map(({ id, nodes }) => [path, width, theme, id, nodes[0]?.html])).toEqual([])
        const overhang = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)
        expect(overhang, `${path}, ${width} px`).toBeLessThanOrEqual(0)
        if (shots) await page.screenshot({ path: `${shots}/${name}-${width}-${theme}.png`, fullPage: true })
      }
    }
  }
  await guest.context().close()
}, 240_000)

test('an owner downloads everything, then deletes the account: nobody is in it any more', async () => {
  await owner.setViewportSize({ width: 1280, height: 900 })
  await owner.goto(`${instance.url}/settings/account`)
  const [download] = await Promise.all([
    owner.waitForEvent('download'),
    owner.getByRole('button', { name: 'Download my data' }).click(),
  ])
  expect(download.suggestedFilename()).toMatch(/^recoup-export-\d{4}-\d\d-\d\d\.zip$/)
  expect(await download.failure()).toBeNull()
  await owner.getByRole('button', { name: 'Delete account' }).click()
  const dialog = owner.getByRole('dialog')
  const final = dialog.getByRole('button', { name: 'Delete permanently' })
  expect(await final.isDisabled()).toBe(true)
  await dialog.getByLabel(/^Type/).fill('delete')
  await dialog.getByLabel('Your password').fill(PASSWORD)
  await final.click()
  await owner.waitForURL(/landing|login/)
  expect(await statusOf(mia, 'GET', '/api/auth/me')).toBe(401)
  await signIn(owner, OLIVE, PASSWORD)
  await owner.getByText('Login failed. Please check your credentials.').waitFor()
})
