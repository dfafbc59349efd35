import path from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type AccountMail, renderAccountMail } from '../server/accounts/account-mail.ts'
import * as words from '../server/accounts/mail-copy.ts'
import { newId } from '../server/core/ids.ts'
import { notificationMail } from '../server/notification-mails/mail-copy.ts'
import type { ToMail } from '../server/notifications/mails.ts'
import type { NotificationType } from '../shared/notifications.ts'
import { SAMPLED_AT, sampleNotifications } from '../test/notification-samples.ts'
import { axeOf } from './axe.ts'
import { openBrowser } from './browser.ts'

// Mail about an account: every one at the width of a phone and of a window, by day and at night, with and without the styles of the
// head, with the longest names and in a wide font. `SCREENSHOTS=folder` keeps pictures.

const shots = process.env.SCREENSHOTS
const longest = 'Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft'
const url = `https://recoup.example/reset-password?token=${'Ab3_'.repeat(24)}`
const about = { name: longest, url }
const letter = { name: longest, publicUrl: 'https://recoup.example' }
const news: ToMail = {
  rows: (Object.keys(sampleNotifications) as NotificationType[]).map((type) => ({
    ...{ id: newId(), type, data: sampleNotifications[type], created_at: SAMPLED_AT },
    ...{ store_id: newId(), store_name: longest, platform: 'woocommerce' },
  })),
  total: Object.keys(sampleNotifications).length,
  timeZone: 'America/New_York',
}
const mails: Record<string, AccountMail> = {
  reset: words.resetMail(about),
  verification: words.verificationMail(about),
  registration: words.registrationMail(about),
  invitation: words.invitationMail({ inviter: longest, team: longest, role: 'admin', url }),
  'email-change': words.emailChangeMail({ ...about, email: `${'long.'.repeat(12)}name@${'sub.'.repeat(20)}example` }),
  ...Object.fromEntries(
    Object.entries(words.notices).map(([name, wordsOf]) => [
      name,
      wordsOf({ ...about, support: 'support@recoup.example' }),
    ]),
  ),
  'email-changed': words.emailChangedMail({ ...about, newEmail: `${'x'.repeat(60)}@${'y'.repeat(60)}.example` }),
  removed: words.removedMail({ ...about, team: longest }),
  'one notification': notificationMail(
    { ...news, rows: news.rows.slice(0, 1), total: 1 },
    { ...letter, kind: 'at_once' },
  ),
  notifications: notificationMail(news, { ...letter, kind: 'at_once' }),
  summary: notificationMail({ ...news, total: 31 }, { ...letter, kind: 'daily' }),
  deleted: words.deletedMail({ ...about, account: longest, support: 'support@recoup.example' }),
}
const sender = { companyName: 'Recoup', supportEmail: 'support@recoup.example' }

let browser: Browser
let page: Page
beforeAll(async () => {
  browser = await openBrowser()
  page = await browser.newPage()
})
afterAll(() => browser?.close())

const withoutHeadStyles = (html: string) => html.replaceAll(/<style>[\s\S]*?<\/style>/g, '')
const inWideFont = (html: string) => html.replaceAll(/font-family:[^;"]*/g, "font-family:'DejaVu Sans Mono',monospace")

describe.each(Object.entries(mails))('the mail %s', (name, mail) => {
  const { html, text } = renderAccountMail(mail, sender)

  test('fits 320 pixels in any font, and has a button that can be pressed', async () => {
    const looks = {
      usual: html,
      plain: withoutHeadStyles(html),
      wide: inWideFont(html),
      both: inWideFont(withoutHeadStyles(html)),
    }
    for (const [look, shown] of Object.entries(looks)) {
      for (const width of [320, 640]) {
        await page.setViewportSize({ width, height: 800 })
        await page.setContent(shown)
        const over = await page.evaluate(
          () => document.scrollingElement!.scrollWidth - document.scrollingElement!.clientWidth,
        )
        const button = await page.locator('a.button').boundingBox()
        expect([look, width, over]).toEqual([look, width, 0])
        expect(button!.height).toBeGreaterThanOrEqual(44)
      }
    }
  })

  test('is readable by day and at night', async () => {
    for (const colorScheme of ['light', 'dark'] as const) {
      for (const width of [320, 640]) {
        await page.emulateMedia({ colorScheme })
        await page.setViewportSize({ width, height: 800 })
        await page.setContent(html)
        const { violations } = await axeOf(page).disableRules(['region', 'landmark-one-main']).analyze()
        expect(violations.map(({ id, nodes }) => [colorScheme, width, id, nodes[0]?.html])).toEqual([])
        if (shots)
          await page.screenshot({
            path: path.join(shots, `account-${name}-${colorScheme}-${width}.png`),
            fullPage: true,
          })
      }
    }
    const card = await page.locator('.card').evaluate((element) => getComputedStyle(element).backgroundColor)
    expect(card).toBe('rgb(27, 34, 43)')
  })

  test('says the same as plain text, with its address', () => {
    const items = (mail.items ?? []).flatMap((item) => [item.title, item.note, item.text])
    const around = [...mail.paragraphs, ...(mail.after ?? []), mail.more ?? '', mail.link.url, mail.footer?.url ?? '']
    for (const part of [...around, ...items, sender.supportEmail]) expect(text).toContain(part)
    expect(text).not.toContain('<')
  })
})
