import type { Locator, Page } from 'playwright-core'
import decodeQR from 'qr/decode.js'
import { expect, test } from 'vitest'
import { authTexts, login } from '../shared/access/auth.ts'
import {
  beginSecondFactor,
  confirmSecondFactor,
  endSecondFactor,
  readSecondFactor,
  renewRecoveryCodes,
  secondFactorTexts,
} from '../shared/access/second-factor.ts'
import { acceptInvitation, readInvitation } from '../shared/workspace/team.ts'
import { buildUser, checkLooks, OLIVE, PASSWORD, serveNoStore, serveUser } from './account-scene.ts'
import { createScreens, token } from './app.ts'

const app = createScreens()
const { api } = app

const SECRET = 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP'
const buildCodes = (letter: string) => Array.from({ length: 10 }, (_, n) => `${letter.repeat(4)}-${n}${n}${n}${n}`)
const findCard = () =>
  app.page.locator('.mantine-Card-root', { has: app.page.getByRole('heading', { name: 'Two-factor sign-in' }) })

const readFocused = (page: Page) =>
  page.evaluate(() => {
    const at = document.activeElement as HTMLInputElement
    return at.name || at.textContent
  })

const isOn = (recoveryCodesLeft: number) => ({ isOn: true, since: '2026-11-28T22:00:00.000Z', recoveryCodesLeft })

/** What a camera reads from the QR code on screen. */
async function scanCode(shown: Locator): Promise<string> {
  await shown.waitFor()
  const { size, path } = await shown.evaluate((svg) => ({
    size: (svg as SVGSVGElement).viewBox.baseVal.width,
    path: svg.querySelector('.qr-modules')!.getAttribute('d')!,
  }))
  const scale = 4
  const width = size * scale
  const data = new Uint8Array(width * width * 4).fill(255)
  for (const [, x, y] of path.matchAll(/M(\d+) (\d+)h1/g)) {
    for (let row = 0; row < scale; row += 1) {
      const start = ((Number(y) * scale + row) * width + Number(x) * scale) * 4
      for (let at = start; at < start + scale * 4; at += 1) if (at % 4 !== 3) data[at] = 0
    }
  }
  return decodeQR({ width, height: width, data })
}

test('the setup asks for password and code, shows a QR code of the secret, and ten recovery codes once', async () => {
  serveUser(api)
  const page = await app.open('/settings/account')
  await findCard().getByRole('button', { name: 'Set up' }).click()
  await expect.poll(() => readFocused(page)).toBe('password')
  const fields = { password: authTexts.wrongPassword }
  api.fail(beginSecondFactor, 400, { error: authTexts.wrongPassword, fields })
  await page.keyboard.type('wrong')
  await page.keyboard.press('Enter')
  await findCard().getByText('That is not your current password.').waitFor()
  api.answer(beginSecondFactor, {
    secret: SECRET,
    uri: `otpauth://totp/Recoup:${OLIVE}?secret=${SECRET}&issuer=Recoup`,
  })
  await findCard().getByLabel('Current password').fill(PASSWORD)
  await page.keyboard.press('Enter')
  await expect.poll(() => readFocused(page)).toBe('Scan this with your authenticator app')
  await expect
    .poll(async () => (await findCard().locator('.typed-secret').innerText()).replaceAll(' ', ''))
    .toBe(SECRET)
  const picture = findCard().getByRole('img', { name: 'QR code for your authenticator app' })
  expect(new URL(await scanCode(picture)).searchParams.get('secret')).toBe(SECRET)
  await checkLooks(app)
  const code = findCard().getByLabel('Code the app shows now')
  await expect.poll(() => code.getAttribute('autocomplete')).toBe('one-time-code')
  api.fail(confirmSecondFactor, 400, {
    error: secondFactorTexts.codeWrong,
    fields: { code: secondFactorTexts.codeWrong },
  })
  await code.fill('000000')
  await page.keyboard.press('Enter')
  await findCard().getByText('That code is not right').waitFor()
  api.answer(confirmSecondFactor, () => {
    api.answer(readSecondFactor, isOn(10))
    return { recoveryCodes: buildCodes('a') }
  })
  await code.fill('123456')
  await page.keyboard.press('Enter')
  await findCard().getByRole('heading', { name: 'Your recovery codes' }).waitFor()
  await expect.poll(() => findCard().locator('.recovery-codes > li').allInnerTexts()).toEqual(buildCodes('a'))
  await checkLooks(app)
  const [saved] = await Promise.all([
    page.waitForEvent('download'),
    findCard().getByRole('button', { name: 'Save as a file' }).click(),
  ])
  expect(saved.suggestedFilename()).toBe('recoup-recovery-codes.txt')
  await saved.delete()
  await findCard().getByRole('button', { name: 'I’ve saved them' }).click()
  await findCard().getByText('10 codes left').waitFor()
  await expect.poll(() => findCard().locator('.recovery-codes').count()).toBe(0)
  await expect.poll(() => api.calls(confirmSecondFactor).at(-1)!.body).toEqual({ code: '123456' })
})

test('signing in asks for the code in a second step, by keyboard alone', async () => {
  const page = await app.open('/login', { as: 'visitor' })
  const enterPassword = async () => {
    await page.getByLabel('Email').fill(OLIVE)
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'Two-factor sign-in' }).waitFor()
  }
  api.fail(login, 401, { error: secondFactorTexts.codeNeeded, code: 'second_factor' })
  await enterPassword()
  await expect.poll(() => readFocused(page)).toBe('code')
  const code = page.getByLabel('Code from your authenticator app')
  await expect
    .poll(async () => [await code.getAttribute('autocomplete'), await code.getAttribute('inputmode')])
    .toEqual(['one-time-code', 'numeric'])
  await checkLooks(app)
  await page.keyboard.press('Enter')
  await page.getByText('Enter the code from your authenticator app.').nth(1).waitFor()
  const wrong = secondFactorTexts.codeWrong
  api.fail(login, 401, { error: wrong, code: 'second_factor', fields: { code: wrong } })
  await page.keyboard.type('000000')
  await page.keyboard.press('Enter')
  await page.getByText('That code is not right').waitFor()
  await expect.poll(() => readFocused(page)).toBe('code')
  await page.getByRole('button', { name: 'Back to sign-in' }).click()
  await page.getByLabel('Password', { exact: true }).waitFor()
  api.fail(login, 401, { error: secondFactorTexts.codeNeeded, code: 'second_factor' })
  await enterPassword()
  await page.getByRole('button', { name: 'Use a recovery code instead' }).click()
  await expect.poll(() => readFocused(page)).toBe('code')
  serveNoStore(api)
  api.answer(login, { token, user: buildUser({ stores: [] }) })
  await page.getByLabel('Recovery code', { exact: true }).fill('aaaa-0000')
  await page.keyboard.press('Enter')
  await page.waitForURL('**/store-setup')
  await expect
    .poll(() => api.calls(login).map(({ sent }) => (sent.body as { code?: string }).code))
    .toEqual([undefined, '000000', undefined, 'aaaa-0000'])
})

test('an invitation asks for the code of a user who has two factors', async () => {
  const invited = { accountName: 'Maple & Clay', invitedBy: 'Ada', email: OLIVE, role: 'member' as const }
  api.answer(readInvitation, { ...invited, isKnown: true, isYou: false })
  api.fail(acceptInvitation, 401, { error: secondFactorTexts.codeNeeded, code: 'second_factor' })
  const page = await app.open('/invite?token=of-the-mail', { as: 'visitor' })
  await page.getByLabel('Your password').fill(PASSWORD)
  await page.getByRole('button', { name: 'Join Maple & Clay' }).click()
  await page.getByLabel('Code from your authenticator app').fill('123456')
  api.answer(acceptInvitation, { token, user: buildUser() })
  await page.getByRole('button', { name: 'Join Maple & Clay' }).click()
  await page.waitForURL('**/dashboard')
  await expect
    .poll(() => api.calls(acceptInvitation).at(-1)!.body)
    .toEqual({ token: 'of-the-mail', password: PASSWORD, code: '123456' })
})

test('new recovery codes and switching off need password and code', async () => {
  serveUser(api)
  api.answer(readSecondFactor, isOn(2))
  api.answer(renewRecoveryCodes, () => {
    api.answer(readSecondFactor, isOn(10))
    return { recoveryCodes: buildCodes('b') }
  })
  const page = await app.open('/settings/account')
  const dialog = page.getByRole('dialog')
  const fillProof = async (code: string) => {
    await dialog.getByLabel('Current password').fill(PASSWORD)
    await dialog.getByRole('button', { name: 'Use a recovery code instead' }).click()
    await dialog.getByLabel('Recovery code', { exact: true }).fill(code)
  }
  await findCard().getByText('Few recovery codes left.').waitFor()
  await findCard().getByRole('button', { name: 'New recovery codes' }).click()
  await fillProof('aaaa-1111')
  await dialog.getByRole('button', { name: 'Make new codes' }).click()
  await dialog.getByRole('heading', { name: 'Your recovery codes' }).waitFor()
  await expect.poll(() => dialog.locator('.recovery-codes > li').allInnerTexts()).toEqual(buildCodes('b'))
  await dialog.getByRole('button', { name: 'I’ve saved them' }).click()
  await findCard().getByText('10 codes left').waitFor()
  await findCard().getByRole('button', { name: 'Switch off' }).click()
  await dialog.getByText('Switch off two-factor sign-in?').waitFor()
  await checkLooks(app, '[role=dialog]')
  await fillProof('aaaa-2222')
  const wrong = secondFactorTexts.recoveryWrong
  api.fail(endSecondFactor, 400, { error: wrong, fields: { code: wrong } })
  await dialog.getByRole('button', { name: 'Switch off' }).click()
  await dialog.getByText('That recovery code is not right').waitFor()
  api.answer(endSecondFactor, () => {
    api.answer(readSecondFactor, { isOn: false, since: null, recoveryCodesLeft: 0 })
    return { success: true as const }
  })
  await dialog.getByLabel('Recovery code', { exact: true }).fill('bbbb-0000')
  await dialog.getByRole('button', { name: 'Switch off' }).click()
  await dialog.waitFor({ state: 'detached' })
  await findCard().getByRole('button', { name: 'Set up' }).waitFor()
  await expect.poll(() => api.calls(renewRecoveryCodes)[0]!.body).toEqual({ password: PASSWORD, code: 'aaaa-1111' })
  await expect.poll(() => api.calls(endSecondFactor).at(-1)!.body).toEqual({ password: PASSWORD, code: 'bbbb-0000' })
})
