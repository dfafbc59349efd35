import { expect, test } from 'vitest'
import { checkInEveryTheme } from '../every-theme.ts'
import { aRestingStore, aStatus, dateIn, inDays } from './answers.ts'
import { asViewer, open } from './scene.ts'

const STATUS = 'subscribe/status'

export function theBanners() {
  test.each([
    [
      'past due',
      { status: 'past_due', graceUntil: inDays(3) },
      `A payment is overdue. Messages are sent until ${dateIn(3)}.`,
      'Go to billing',
    ],
    [
      'past due for too long',
      { status: 'past_due', graceUntil: inDays(-1), hasActiveSubscription: false },
      'A payment is overdue. Messages are held until it is paid.',
      'Go to billing',
    ],
    [
      'a trial without a card',
      { status: 'trialing', trialEndsAt: inDays(2), hasCard: false },
      `The trial of Growth ends on ${dateIn(2)}. After that the account goes on with Lite, unless a card is added.`,
      'Go to billing',
    ],
    [
      'a trial with a card',
      { status: 'trialing', trialEndsAt: inDays(2) },
      `The trial of Growth ends on ${dateIn(2)}. After that it is paid by the card you have added.`,
      'Go to billing',
    ],
    [
      'suspended',
      { suspension: { reason: 'Many recipients reported these mails as spam.', since: inDays(-1) } },
      `Sending is suspended since ${dateIn(-1)}. Many recipients reported these mails as spam. No message of this account is sent. Write to`,
      'support@localhost',
    ],
  ] as const)('every screen says it: %s (decisions 86, 90)', async (name, given, words, link) => {
    const { page } = await open('/settings', { [STATUS]: aStatus(given) })
    const notices = page.getByRole('region', { name: 'Notices' })
    await notices.getByText(words.split('. ')[0]!).waitFor()
    expect((await notices.innerText()).replace(/\s+/g, ' ')).toContain(words)
    await notices.getByRole('link', { name: link }).waitFor()
    await checkInEveryTheme(page, `billing-banner-${name.replaceAll(' ', '-')}`)
    await page.context().close()
  })

  test('whoever may not pay is told who may', async () => {
    const { page } = await open('/settings', {
      [STATUS]: aStatus({ status: 'past_due', graceUntil: inDays(3) }),
      ...asViewer(),
    })
    const notices = page.getByRole('region', { name: 'Notices' })
    await notices.getByText('An owner or admin of this account can pay it.').waitFor()
    expect(await notices.getByRole('link', { name: 'Go to billing' }).count()).toBe(0)
    await page.context().close()
  })

  test('a store that rests says so above every screen, and where to change that (decision 85)', async () => {
    const { page } = await open('/settings', { [STATUS]: aStatus(), 'stores/check-connection': aRestingStore() })
    const notices = page.getByRole('region', { name: 'Notices' })
    await notices.getByText('Kiln Road rests.').waitFor()
    await checkInEveryTheme(page, 'billing-banner-resting')
    await notices.getByRole('link', { name: 'Go to billing' }).click()
    await page.waitForURL('**/billing')
    await notices.getByRole('link', { name: 'Go to billing' }).waitFor({ state: 'hidden' })
    await notices.getByText('Kiln Road rests.').waitFor()
    await page.context().close()
  })
}
