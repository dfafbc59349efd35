import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { findViolations } from '../e2e/axe.ts'
import type { MailRows } from '../server/access/notifications/mails.ts'
import { createId } from '../server/core/common/ids.ts'
import { type AccountMail, renderAccountMail } from '../server/workspace/accounts/account-mail.ts'
import * as words from '../server/workspace/accounts/mails.ts'
import { notificationMail } from '../server/workspace/notification-mails/mails.ts'
import type { NotificationType } from '../shared/workspace/notifications.ts'
import { SAMPLED_AT, sampleNotifications } from '../test/notification-samples.ts'

// Every account mail, with the longest names, and the checks for each.

const longest = 'Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft'
const url = `https://recoup.example/reset-password?token=${'Ab3_'.repeat(24)}`
const about = { name: longest, url }
const product = 'Recoup'
const letter = { name: longest, publicUrl: 'https://recoup.example' }
const news: MailRows = {
  rows: (Object.keys(sampleNotifications) as NotificationType[]).map((type) => ({
    id: createId(),
    type,
    data: sampleNotifications[type],
    created_at: SAMPLED_AT,
    store_id: createId(),
    store_name: longest,
    platform: 'woocommerce',
  })),
  total: Object.keys(sampleNotifications).length,
  timeZone: 'America/New_York',
}
export const sampleMails: Record<string, AccountMail> = {
  reset: words.resetMail(about),
  verification: words.verificationMail({ ...about, product }),
  registration: words.registrationMail(about),
  invitation: words.invitationMail({ inviter: longest, team: longest, role: 'admin', product, url }),
  'owner-invitation': words.ownerInvitationMail({ url, product }),
  'email-change': words.buildEmailChangeMail({
    ...about,
    email: `${'long.'.repeat(12)}name@${'sub.'.repeat(20)}example`,
  }),
  ...Object.fromEntries(
    Object.entries(words.notices).map(([name, wordsOf]) => [
      name,
      wordsOf({ ...about, support: 'support@recoup.example' }),
    ]),
  ),
  'email-changed': words.buildEmailChangedMail({ ...about, newEmail: `${'x'.repeat(60)}@${'y'.repeat(60)}.example` }),
  removed: words.removedMail({ ...about, team: longest }),
  'one notification': notificationMail(
    { ...news, rows: news.rows.slice(0, 1), total: 1 },
    { ...letter, kind: 'at_once' },
  ),
  notifications: notificationMail(news, { ...letter, kind: 'at_once' }),
  summary: notificationMail({ ...news, total: 31 }, { ...letter, kind: 'daily' }),
  deleted: words.deletedMail({ ...about, account: longest, support: 'support@recoup.example', product }),
}
export const sender = { companyName: 'Recoup', instanceName: 'Recoup', supportEmail: 'support@recoup.example' }

export const renderMailHtml = (mail: AccountMail) => renderAccountMail(mail, sender).html

const removeHeadStyles = (html: string) => html.replaceAll(/<style>[\s\S]*?<\/style>/g, '')
const setWideFont = (html: string) => html.replaceAll(/font-family:[^;"]*/g, "font-family:'DejaVu Sans Mono',monospace")

/** Variants of mail programs: with or without head styles, and in another font. */
export const mailVariants: Record<string, (html: string) => string> = {
  usual: (html) => html,
  plain: removeHeadStyles,
  wide: setWideFont,
  both: (html) => setWideFont(removeHeadStyles(html)),
}

/** Not wider than the window, with a usable button. */
export async function checkFits(page: Page, html: string, width: number) {
  await page.setViewportSize({ width, height: 800 })
  await page.setContent(html)
  const over = await page.evaluate(
    () => document.scrollingElement!.scrollWidth - document.scrollingElement!.clientWidth,
  )
  expect([width, over]).toEqual([width, 0])
  expect((await page.locator('a.button').boundingBox())!.height).toBeGreaterThanOrEqual(44)
}

export async function checkReadable(page: Page, html: string, colorScheme: 'light' | 'dark', width: number) {
  await page.emulateMedia({ colorScheme })
  await page.setViewportSize({ width, height: 800 })
  await page.setContent(html)
  const violations = await findViolations(page, { without: ['region', 'landmark-one-main'] })
  expect(violations, `${colorScheme} at ${width} px`).toEqual([])
  const card = await page.locator('.card').evaluate((element) => getComputedStyle(element).backgroundColor)
  expect(card === 'rgb(27, 34, 43)').toBe(colorScheme === 'dark')
}
