import path from 'node:path'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { type MailSummary, mailsTo, readMail, until } from '../app-instance.ts'
import {
  aBrowser,
  ask,
  bringSummary,
  forgetMails,
  instance,
  isListed,
  listed,
  storeId,
  tell,
  tokenOf,
} from './scene.ts'

// Mail about notifications, as it arrives: by SMTP in the built-in mailbox. `SCREENSHOTS=folder` keeps pictures.

const OLIVE = 'olive@owners.example'
const shots = process.env.SCREENSHOTS

/** What comes to the owner while this happens. */
async function nextMail(happens: () => Promise<unknown>) {
  const before = new Set((await mailsTo(instance, OLIVE)).map(({ id }) => id))
  await happens()
  const arrived = async (): Promise<MailSummary[]> =>
    (await mailsTo(instance, OLIVE)).filter(({ id }) => !before.has(id))
  await until(async () => (await arrived()).length > 0, 20_000)
  const [mail, ...others] = await arrived()
  expect(others).toEqual([])
  return { ...mail!, ...(await readMail(instance, mail!.id)) }
}

const alarm = () =>
  tell('stage_failed', {
    ...{ stage: 'sync' as const, cause: 'timeout', since: new Date(Date.now() - 3_600_000).toISOString() },
    ...{ waiting: 0, detail: null, alarmId: 'a' },
  })

/** The mail as a mail program shows it. */
async function opened(html: string, name: string): Promise<Page> {
  const page = await aBrowser('olive')
  await page.setContent(html)
  if (shots) await page.screenshot({ path: path.join(shots, `mail-${name}.png`), fullPage: true })
  return page
}

/** Follows a link of the mail, which leads to a notification. */
async function follow(page: Page, name: string, shown: string): Promise<void> {
  const href = (await page.getByRole('link', { name, exact: true }).getAttribute('href'))!
  await page.goto(href)
  await page.getByRole('region', { name: 'Notification', exact: true }).getByText(shown).first().waitFor()
}

export function ofTheMails() {
  test('a problem is mailed at once, by SMTP: subject, text and HTML say what it is, and the link opens it', async () => {
    await forgetMails()
    const mail = await nextMail(alarm)
    expect(mail.subject).toMatch(/^The store has not been synced \(.+\)$/)
    const { _id } = (await listed('olive'))[0]!
    const url = `${instance.url}/notifications?platform=woocommerce&storeId=${storeId}&notificationId=${_id}`
    expect(mail.text).toMatch(/^Hello Olive,\s+No sync of the store has succeeded for 60 minutes\./)
    expect(mail.text.replaceAll('\r', '')).toContain(`Open the notification:\n${url}`)
    expect(mail.text).toContain(`${instance.url}/settings/account/notifications`)
    // What went over the wire, not what the mailbox made of it.
    expect(mail.raw).toMatch(/^Auto-Submitted: auto-generated\r?$/m)
    expect(mail.raw).toMatch(/^Content-Type: multipart\/alternative/m)
    expect(mail.raw).toMatch(/^To: .*olive@owners\.example/m)
    const page = await opened(mail.html, 'at-once')
    await page.getByRole('heading', { name: mail.subject }).waitFor()
    await page.getByRole('paragraph').filter({ hasText: 'No sync of the store has succeeded for 60 minutes' }).waitFor()
    await follow(page, 'Open the notification', 'No sync of the store has succeeded')
    await page.context().close()
  })

  test('a daily summary comes by SMTP with all that happened; each of its titles opens its notification', async () => {
    const choose = (mail: string) =>
      ask(tokenOf('olive'), 'PUT', '/api/notifications/preferences', {
        topics: ['sent', 'new_carts', 'stopped'].map((topic) => ({ topic, bell: true, mail })),
      })
    await forgetMails()
    await choose('daily')
    const about = { cartId: 'c', messageId: 'm', step: 1, to: 'ada@shoppers.example', isInMailbox: false }
    await tell('email_sent', about, about, about)
    await tell('cart_abandoned', {
      ...{ cartId: 'c', customer: 'Ada Lovelace', value: 12_345, currency: 'USD', itemCount: 2 },
      timestamp: new Date().toISOString(),
    })
    await alarm()
    await isListed(3)
    const mail = await nextMail(bringSummary)
    expect(mail.subject).toBe('Your daily summary: 3 notifications')
    for (const part of ['3 emails sent', 'Ada Lovelace left a cart with 2 items', 'The store has not been synced']) {
      expect(mail.text).toContain(part)
    }
    const page = await opened(mail.html, 'daily')
    await page.getByRole('heading', { name: 'Your daily summary: 3 notifications' }).waitFor()
    const titles = page.locator('.item').getByRole('link')
    expect((await titles.allInnerTexts()).toSorted()).toEqual([
      '3 emails sent',
      'Cart abandoned',
      'The store has not been synced',
    ])
    await follow(page, 'Cart abandoned', 'Ada Lovelace')
    await page.context().close()
    await choose('none')
  })
}
