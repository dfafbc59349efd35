import { expect, test } from 'vitest'
import { me } from '../shared/access/auth.ts'
import { checkConnection } from '../shared/access/stores.ts'
import { subscriptionStatus } from '../shared/billing/billing.ts'
import { type CartView, exportCarts, getCart, listAbandonedCarts } from '../shared/carts/carts.ts'
import { cartReach } from '../shared/carts/reach.ts'
import * as reminders from '../shared/delivery/reminders.ts'
import { createScreens, PHONE } from './app.ts'
import {
  buildCarts,
  makeAllEligible,
  prepareSending,
  sampleCart,
  serveCarts,
  subtractHours,
  toCartList,
} from './carts-scene.ts'
import { blockLiveConnection, openAnotherPage } from './page-checks.ts'

// The cart list: columns, search, filters, pages, states, and bulk actions.

const app = createScreens()
const listQueries = () => app.api.calls(listAbandonedCarts).map(({ sent }) => sent.query)
const readLastQuery = () => listQueries().at(-1)
const waitForText = (text: string | RegExp) => app.page.getByText(text, { exact: true }).waitFor()
const findRow = (cart: CartView) => app.page.getByRole('row').filter({ hasText: cart.customer_name })
/** A toast disappears after four seconds. */
const expectAnnouncement = (text: string, press: () => Promise<unknown>) =>
  Promise.all([app.page.getByRole('alert').filter({ hasText: text }).waitFor(), press()])
const findDialog = (name: string) => app.page.getByRole('dialog', { name })
const findButton = (name: string | RegExp) => app.page.getByRole('button', { name, exact: true })

test('has the specified columns, each sorted both ways by keyboard, and the remaining recovery hours', {
  tags: ['B2'],
}, async () => {
  const [first, second, ...others] = buildCarts(10) as [CartView, CartView]
  serveCarts(app.api, [
    { ...first, last_activity: subtractHours(1.5) },
    { ...second, last_activity: subtractHours(24) },
    ...others,
  ])
  const page = await app.open('/carts')
  await page.getByRole('table').waitFor()
  const heads = await page.getByRole('columnheader').allInnerTexts()
  expect(heads.map((text) => text.trim()).filter(Boolean)).toEqual([
    'Customer',
    'Email',
    'Phone',
    'Items',
    'Value',
    'Abandoned',
    'Status',
    'Window',
    'Actions',
  ])
  await findRow(second).getByRole('cell', { name: 'Expired' }).waitFor()
  await expect.poll(() => findRow(first).first().innerText()).toMatch(/\b22:(28|29|30):\d\d/)
  await expect.poll(() => readLastQuery()).toMatchObject({ sort: 'timestamp', order: 'desc' })
  await expect
    .poll(() => page.getByRole('columnheader', { name: 'Abandoned' }).getAttribute('aria-sort'))
    .toBe('descending')
  for (const [label, sort, ways] of [
    ['Value', 'value', ['descending', 'ascending']],
    ['Customer', 'customer', ['ascending', 'descending']],
  ] as const) {
    const head = page.getByRole('columnheader', { name: label })
    for (const way of ways) {
      await head.getByRole('button').press('Enter')
      await expect.poll(() => head.getAttribute('aria-sort')).toBe(way)
      await expect.poll(readLastQuery).toMatchObject({ sort, order: way.slice(0, -6) })
    }
  }
})

test('the thread of a row says each station of the cart and opens it', async () => {
  const reminders = { sent: 2, planned: 3 }
  const path = { ...sampleCart.path!, message: 'sent' as const, reminders, sentAt: subtractHours(1), nextAt: null }
  serveCarts(app.api, [{ ...sampleCart, path }])
  const page = await app.open('/carts')
  const thread = findRow(sampleCart).getByRole('button', { name: /^Progress: Cart, done, 3 items; Abandoned, done, / })
  await thread.focus()
  await page
    .getByRole('tooltip')
    .getByText(/^Message Reminder 2 of 3 sent, /)
    .waitFor()
  await thread.press('Enter')
  await findDialog('Cart details')
    .getByRole('list', { name: 'Progress' })
    .getByText(/^Reminder 2 of 3 sent/)
    .waitFor()
})

test('a quick second change keeps the first', async () => {
  serveCarts(app.api, buildCarts(10))
  const page = await app.open('/carts?search=ada')
  const findHead = (name: string) => page.getByRole('columnheader', { name }).getByRole('button').elementHandle()
  const [value, customer] = [await findHead('Value'), await findHead('Customer')]
  await page.evaluate(
    (heads) => {
      for (const each of heads) (each as HTMLElement).click()
    },
    [value, value, customer, value, value],
  )
  await expect.poll(readLastQuery).toMatchObject({ search: 'ada', sort: 'value', order: 'asc' })
})

test('waits for the store before loading, and shows a plain array like a paginated list', {
  tags: ['B3'],
}, async () => {
  app.api.raw(listAbandonedCarts, 200, buildCarts(7))
  const connection = app.api.hold(checkConnection)
  const page = await app.open('/carts')
  await page.getByRole('status', { name: 'Loading' }).first().waitFor()
  await expect.poll(() => app.api.calls(checkConnection).length).toBeGreaterThan(0)
  expect(listQueries()).toEqual([])
  connection.release()
  await page.getByRole('row').nth(1).waitFor()
  await expect.poll(() => page.getByRole('row').count()).toBe(8)
  expect(listQueries()).not.toEqual([])
})

test('searches a second after the last key, asks at most once a second, and caches a page for five minutes', {
  tags: ['B2', 'B7'],
}, async () => {
  serveCarts(app.api, buildCarts(10), 57)
  const page = await openAnotherPage(app)
  await blockLiveConnection(page)
  await page.clock.install()
  await page.goto(`${app.url}/carts`)
  await page.getByText('Page 1 of 6', { exact: true }).waitFor()
  await page.clock.pauseAt(Date.now() + 60_000)
  const search = page.getByRole('searchbox', { name: 'Search customers' })
  const listSearches = () => listQueries().filter(({ search }) => search)
  await search.fill('x')
  await page.getByRole('button', { name: 'Clear search' }).click()
  await page.clock.runFor(1_200)
  await search.pressSequentially('l')
  await page.clock.runFor(900)
  await search.pressSequentially('e')
  await page.clock.runFor(999)
  await expect.poll(() => [listSearches(), page.url()]).toEqual([[], `${app.url}/carts`])
  await page.clock.runFor(1)
  await page.waitForURL(/search=le/)
  await expect.poll(readLastQuery).toMatchObject({ search: 'le' })
  await page.getByLabel('Status').selectOption('Email Sent')
  await page.waitForURL(/status=email\+sent/)
  await page.clock.runFor(999)
  await expect.poll(() => listSearches()).toHaveLength(1)
  /** Only the clock permits the next request. */
  const isAsked = (query: object) =>
    expect
      .poll(async () => {
        await page.clock.runFor(1)
        return readLastQuery()
      })
      .toMatchObject({ search: 'le', status: 'email sent', ...query })
  await isAsked({})
  for (const number of ['2', '3']) {
    await page.getByRole('button', { name: 'Next' }).click()
    await page.clock.runFor(1_000)
    await isAsked({ page: number })
  }
  const before = listQueries().length
  for (const [name, text] of [
    ['Previous', 'Page 2 of 6'],
    ['Next', 'Page 3 of 6'],
  ] as const) {
    await page.getByRole('button', { name }).click()
    await page.getByText(text, { exact: true }).waitFor()
    await page.clock.runFor(1_000)
  }
  await page.getByRole('button', { name: 'Next' }).click()
  await isAsked({ page: '4' })
  await expect.poll(() => listQueries().length - before).toBe(1)
})

test('has its search, filter, sort and page in the address, and shows its position among the pages', {
  tags: ['B2', 'B9'],
}, async () => {
  serveCarts(app.api, buildCarts(10), 57)
  const page = await app.open('/carts?search=example&status=email+sent&sort=value&order=asc&page=2')
  await waitForText('Showing 11 to 20 of 57 entries')
  await expect
    .poll(() => readLastQuery())
    .toMatchObject({ search: 'example', status: 'email sent', sort: 'value', order: 'asc', page: '2' })
  await expect.poll(() => page.getByRole('columnheader', { name: 'Value' }).getAttribute('aria-sort')).toBe('ascending')
  await findButton('Previous').click()
  await waitForText('Page 1 of 6')
  await waitForText('Showing 1 to 10 of 57 entries')
  await expect.poll(() => findButton('Previous').isDisabled()).toBe(true)
  await expect.poll(() => findButton('Next').isDisabled()).toBe(false)
  serveCarts(app.api, buildCarts(10))
  await app.open('/carts')
  await page.getByRole('table').waitFor()
  await expect.poll(() => page.getByRole('navigation', { name: 'Pages' }).count()).toBe(0)
})

test('filters by email reachability and by each reason; the reason is shown at the cart', async () => {
  const carts = buildCarts(10)
  serveCarts(app.api, carts)
  const noContact = { reason: 'no_contact', country: null, explanation: 'No usable email address.', count: 10 } as const
  app.api.answer(cartReach, ({ body: { cartIds } }) => ({
    reachable: 4,
    reasons: [{ ...noContact, ...(cartIds && { cartIds }) }],
  }))
  const page = await app.open('/carts')
  const filter = page.getByLabel('Can an email reach the shopper?')
  await filter.locator('option', { hasText: 'Can be reached: 4' }).waitFor({ state: 'attached' })
  await filter.selectOption({ label: 'No email: 10' })
  await page.waitForURL(/reach=no_contact/)
  await expect.poll(readLastQuery).toMatchObject({ reach: 'no_contact' })
  const marks = page.locator('.reason-mark')
  await expect.poll(() => marks.count()).toBe(10)
  await expect.poll(() => marks.first().innerText()).toContain('No email')
  await app.open('/carts?reach=reachable&days=30')
  await page.getByRole('table').waitFor()
  await expect.poll(() => readLastQuery()).toMatchObject({ reach: 'reachable', days: '30' })
  await findButton('Abandoned in the last 30 days: remove this filter').click()
  await page.waitForURL((url) => !url.searchParams.has('days') && url.searchParams.get('reach') === 'reachable')
  app.api.answer(listAbandonedCarts, toCartList([]))
  await app.open('/carts?reach=merged')
  await page.getByText('No abandoned carts match your current filters.').waitFor()
  await findButton('Clear filters').click()
  await page.waitForURL((url) => !url.searchParams.has('reach'))
})

test.each([
  ['?search=x', 'No abandoned carts match your current filters. Try adjusting your search or filter criteria.', 0],
  ['?page=99', 'No abandoned carts to display on this page.', 57],
  ['', 'No abandoned carts found. Your store might not have any abandoned carts yet.', 0],
])('an empty list at /carts%s shows “%s”', { tags: ['B2', 'B8'] }, async (query, text, total) => {
  app.api.answer(listAbandonedCarts, toCartList([], total))
  await app.open(`/carts${query}`)
  await waitForText(text)
})

test.each([
  [500, { code: 'internal', error: 'x' }, 'Failed to fetch abandoned carts. Please try again.'],
  [400, { code: 'invalid', error: 'The database rests.' }, 'The database rests.'],
  [404, { code: 'not_found', error: 'x' }, 'No platform selected. Please connect a store first.'],
] as const)(
  'a list that fails with %i shows its error, and Retry loads it again',
  { tags: ['B8'] },
  async (status, error, text) => {
    await blockLiveConnection(app.page)
    app.api.fail(listAbandonedCarts, status, error)
    const page = await app.open('/carts')
    const alert = page.getByRole('alert')
    await alert.getByText(text).waitFor()
    serveCarts(app.api, buildCarts(3))
    await alert.getByRole('button', { name: 'Retry' }).click()
    await page.getByRole('table').waitFor()
  },
)

test('keeps the chosen columns after a reload', async () => {
  const page = await app.open('/carts')
  await findButton('Columns').press('Enter')
  await page.getByRole('checkbox', { name: 'Phone' }).press('Space')
  await page.getByRole('checkbox', { name: 'State' }).press('Space')
  await page.keyboard.press('Escape')
  await page.reload()
  await page.getByRole('columnheader', { name: 'State' }).waitFor()
  await expect.poll(() => page.getByRole('columnheader', { name: 'Phone' }).count()).toBe(0)
  await findButton('Columns').click()
  await findButton('Standard columns').click()
  await page.getByRole('columnheader', { name: 'Phone' }).waitFor()
})

test('exports the filtered carts as a CSV file', async () => {
  app.api.answer(exportCarts, { url: '/favicon.svg?ticket=x', expiresAt: subtractHours(-1) })
  const page = await app.open('/carts?search=ada&status=email+sent')
  const followed = page.waitForEvent('download')
  await findButton('Export CSV').click()
  expect((await followed).url()).toContain('/favicon.svg?ticket=x')
  await expect
    .poll(() => app.api.calls(exportCarts)[0]!.sent.query)
    .toMatchObject({ search: 'ada', status: 'email sent' })
})

test('a cart without name and address is a Guest with “No email” and offers no message, also on a phone', {
  tags: ['B2', 'B3'],
}, async () => {
  const customer_data = { ...sampleCart.customer_data, first_name: null, last_name: null, phone: null }
  const guest = { ...sampleCart, customer_name: 'Guest', customer_email: null, phone: null, customer_data }
  prepareSending(app.api, [guest])
  const page = await app.open('/carts')
  await findRow(guest).getByRole('cell', { name: 'No email', exact: true }).waitFor()
  for (const name of [/^Send email/, /^Send SMS/, /^(Send )?WhatsApp/]) {
    await expect.poll(() => findRow(guest).getByRole('button', { name }).count()).toBe(0)
  }
  await findButton('Guest').click()
  await findDialog('Cart details').getByText('No email', { exact: true }).waitFor()
  await expect
    .poll(() => findDialog('Cart details').getByRole('button', { name: 'Send Email' }).isDisabled())
    .toBe(true)
  await expect
    .poll(() =>
      findDialog('Cart details')
        .getByRole('button', { name: /SMS|WhatsApp/ })
        .count(),
    )
    .toBe(0)
  await app.open('/carts', { viewport: PHONE })
  await page.locator('.list-card').getByText('No email', { exact: true }).waitFor()
})

test('offers SMS only with a phone, WhatsApp only where allowed', { tags: ['B2'] }, async () => {
  const noPhone = { ...sampleCart, phone: null, customer_data: { ...sampleCart.customer_data, phone: null } }
  const panel = findDialog('Cart details')
  const listOffered = async (name: RegExp) => [
    await findRow(sampleCart).getByRole('button', { name }).count(),
    await panel.getByRole('button', { name }).count(),
  ]
  for (const [cart, eligible, sms, whatsapp] of [
    [sampleCart, [], [1, 1], [0, 0]],
    [sampleCart, [sampleCart], [1, 1], [1, 1]],
    [noPhone, [], [0, 0], [0, 0]],
  ] as const) {
    prepareSending(app.api, [cart])
    app.api.answer(reminders.cartEligibility, makeAllEligible([...eligible]))
    await app.open(`/carts?cart=${cart.id}`)
    await panel.getByRole('button', { name: 'Send Email' }).waitFor()
    await expect.poll(() => listOffered(/^(Send )?WhatsApp/)).toEqual(whatsapp)
    await expect.poll(() => listOffered(/^Send SMS/)).toEqual(sms)
  }
})

test('on the free plan SMS and WhatsApp are upgrade prompts that link to the plans', {
  tags: ['B2', 'B6'],
}, async () => {
  prepareSending(app.api)
  app.api.alter(subscriptionStatus, (status) => ({ ...status, plan: 'free' as const, planInForce: 'free' as const }))
  const page = await app.open('/carts')
  for (const name of [reminders.reminderTexts.smsPlan, reminders.reminderTexts.whatsappPlan]) {
    await expect.poll(() => page.getByRole('link', { name }).first().getAttribute('href')).toBe('/pricing')
  }
  await expect.poll(() => findButton(/^Send (SMS|WhatsApp)/).count()).toBe(0)
  await app.open(`/carts?cart=${sampleCart.id}`)
  const panel = findDialog('Cart details')
  for (const text of [reminders.reminderTexts.smsPlan, reminders.reminderTexts.whatsappPlan]) {
    await panel.getByText(text).waitFor()
  }
  await expect.poll(() => panel.getByRole('link', { name: 'See plans' }).first().getAttribute('href')).toBe('/pricing')
  expect(await app.findViolations()).toEqual([])
})

test('a text in flight disables its button, which then counts down the cooldown', {
  tags: ['B4'],
}, async () => {
  prepareSending(app.api, [{ ...sampleCart, sms_status: 'sending', sms_sent_at: null }])
  const page = await app.open('/carts')
  const sending = findRow(sampleCart).getByRole('button', { name: 'Sending…', exact: true })
  await expect.poll(() => sending.getAttribute('aria-disabled')).toBe('true')
  await sending.press('Enter')
  await expect.poll(() => page.getByRole('dialog').count()).toBe(0)
  prepareSending(app.api, [{ ...sampleCart, sms_status: 'sent', sms_sent_at: subtractHours(1) }])
  await app.open('/carts')
  const wait = findButton(/^Wait 2[23]:\d\d:\d\d before sending again$/)
  await expect.poll(() => wait.getAttribute('aria-disabled')).toBe('true')
})

const findBar = () => app.page.getByRole('region', { name: 'Selected carts' })
async function choose(carts: CartView[], action: string): Promise<void> {
  for (const { customer_name } of carts) {
    await app.page.getByRole('checkbox', { name: `Select the cart of ${customer_name}`, exact: true }).check()
  }
  await findBar().getByLabel('Bulk action').selectOption(action)
  await findBar().getByRole('button', { name: 'Apply' }).click()
}

test('a bulk action needs a choice and a selection; all matching carts can be selected', { tags: ['B2'] }, async () => {
  const carts = buildCarts(10)
  prepareSending(app.api, carts)
  serveCarts(app.api, carts, 57)
  const reason = { until: null, mayOverride: false, cartIds: [] }
  app.api.answer(reminders.cartEligibility, {
    total: 57,
    eligible: carts.map(({ id }) => id),
    price: null,
    reasons: [{ ...reason, reason: 'suppressed', explanation: 'The shopper has unsubscribed.', count: 47 }],
  })
  const page = await app.open('/carts')
  const everything = page.getByRole('checkbox', { name: 'Select all carts on this page' })
  await everything.waitFor()
  await expect.poll(() => findBar().count()).toBe(0)
  await everything.check()
  await findBar().getByText('10 selected').waitFor()
  await expect.poll(() => findBar().getByRole('button', { name: 'Apply' }).isDisabled()).toBe(true)
  await findBar().getByRole('button', { name: 'Select all 57 matching' }).click()
  await findBar().getByText('57 selected').waitFor()
  await findBar().getByLabel('Bulk action').selectOption('Send Email')
  await findBar().getByRole('button', { name: 'Apply' }).click()
  const form = findDialog('Send Email Reminder')
  await form.getByText('10 of 57 carts would get this email now.').waitFor()
  await form.getByRole('list', { name: 'Excluded, by reason' }).getByText('The shopper has unsubscribed.').waitFor()
  // The row buttons query the page's carts by their ids.
  const requests = app.api.calls(reminders.cartEligibility).map(({ body }) => body)
  expect(requests.filter((body) => !('cartIds' in body)).map(({ channel }) => channel)).toEqual(['email'])
  expect(await app.findViolations()).toEqual([])
  await page.keyboard.press('Escape')
  await everything.uncheck()
  await expect.poll(() => findBar().count()).toBe(0)
  await everything.check()
  await findBar().getByText('10 selected').waitFor()
  // A new search clears the selection, so no message is sent to a hidden cart.
  await page.getByRole('searchbox', { name: 'Search customers' }).fill('le')
  await page.waitForURL(/search=le/)
  await expect.poll(() => findBar().count()).toBe(0)
})

const jobId = '0198a0c4-6f0e-7c1b-9a55-000000000001'

/** A finished job; the messages of `failed` were not sent. */
function doneJob(channel: reminders.SendChannel, carts: CartView[], failed: CartView[], only?: string) {
  const unsent = {
    outcome: 'failed',
    reason: 'suppressed_unsubscribed',
    explanation: 'The shopper has unsubscribed.',
  } as const
  const results = carts
    .map((cart) => ({
      cartId: cart.id,
      shopperId: null,
      customer: cart.customer_name,
      to: cart.customer_email,
      messageId: null,
      ...(failed.includes(cart) ? unsent : ({ outcome: 'sent', reason: null, explanation: 'Sent.' } as const)),
    }))
    .filter(({ outcome }) => !only || outcome === only)
  const [total, most] = [carts.length, failed.length]
  return {
    jobId,
    channel,
    isDiscount: false,
    state: 'done' as const,
    createdAt: subtractHours(0),
    sendAt: null,
    total,
    done: total,
    counts: { waiting: 0, sent: total - most, unknown: 0, failed: most },
    retryable: most,
    results,
    pagination: { page: 1, limit: 100, total: results.length, pages: 1 },
  }
}

test('a bulk email has a result for each cart, and retries only the failed one', { tags: ['B8'] }, async () => {
  const three = buildCarts(3)
  prepareSending(app.api, three)
  let failed = three.slice(0, 1)
  app.api.answer(reminders.sendToCarts, { jobId })
  app.api.answer(reminders.readBulkSend, ({ query }) => doneJob('email', three, failed, query.outcome))
  app.api.answer(reminders.retryBulkSend, () => {
    failed = []
    return { jobId, retried: 1 }
  })
  const page = await app.open('/carts')
  await choose(three, 'Send Email')
  await findDialog('Send Email Reminder').getByText('3 of 3 carts would get this email now.').waitFor()
  await expectAnnouncement('Bulk email sending completed!', () => findButton('Send to 3 carts').click())
  await expect
    .poll(() => app.api.calls(reminders.sendToCarts).map(({ body }) => body.cartIds))
    .toEqual([three.map(({ id }) => id)])
  await expect.poll(() => findBar().count()).toBe(0)
  const job = page.getByRole('region', { name: 'Bulk sending' })
  await job.getByText('3 of 3 done · 2 sent · 1 failed.').waitFor()
  await job.getByRole('button', { name: 'Results' }).click()
  const results = job.getByRole('list', { name: 'Results by cart' })
  await results.getByText('The shopper has unsubscribed.').waitFor()
  await expect.poll(() => results.getByRole('listitem').count()).toBe(3)
  await job.getByText('Failed only').click()
  await expect.poll(() => results.getByRole('listitem').count()).toBe(1)
  expect(await app.findViolations()).toEqual([])
  app.api.alter(me, ({ user }) => ({ user: { ...user, role: 'viewer' as const } }))
  await page.reload()
  await job.getByText('3 of 3 done · 2 sent · 1 failed.').waitFor()
  await expect.poll(() => job.getByRole('button', { name: /^Retry/ }).count()).toBe(0)
  app.api.alter(me, (reply) => reply)
  await page.reload()
  await job.getByRole('button', { name: 'Retry the 1 failed' }).click()
  await job.getByText('3 of 3 done · 3 sent.').waitFor()
  await job.getByRole('button', { name: 'Dismiss' }).click()
  await job.waitFor({ state: 'detached' })
})

test('“Delete from view” only hides carts and can be undone', { tags: ['B7'] }, async () => {
  const carts = buildCarts(10)
  serveCarts(app.api, carts)
  const page = await app.open('/carts')
  await choose(carts.slice(0, 1), 'Delete from view')
  await waitForText('1 cart removed from this view. Nothing was deleted.')
  await expect.poll(() => page.locator('.carts-rows tbody tr').count()).toBe(9)
  await findButton('Undo').click()
  await findRow(carts[0]!).first().waitFor()
  await expect.poll(() => page.locator('.carts-rows tbody tr').count()).toBe(10)
})

test('bulk WhatsApp shows a refusal, then the counts, and clears the selection', {
  tags: ['B2', 'B4', 'B8'],
}, async () => {
  const two = buildCarts(2)
  prepareSending(app.api, two)
  app.api.fail(reminders.sendWhatsappBulk, 422, { error: 'No template is approved.' })
  await app.open('/carts')
  await choose(two, 'Send WhatsApp')
  const form = findDialog('Send WhatsApp Reminders')
  await form.getByRole('button', { name: 'Send to 2 carts' }).click()
  await form.getByText('Failed to send bulk WhatsApp: No template is approved.').waitFor()
  const failed = two.map(({ id }) => ({ cartId: id, reason: 'no_consent', error: 'No consent.' }))
  app.api.answer(reminders.sendWhatsappBulk, { results: { successful: [], failed }, jobId })
  app.api.answer(reminders.readBulkSend, doneJob('whatsapp', two, two))
  await expectAnnouncement('WhatsApp sending completed! Successful: 0, Failed: 2', () =>
    form.getByRole('button', { name: 'Send to 2 carts' }).click(),
  )
  await expect
    .poll(() => app.api.calls(reminders.sendWhatsappBulk).at(-1)!.body.cartIds)
    .toEqual(two.map(({ id }) => id))
  await form.waitFor({ state: 'detached' })
  await expect.poll(() => findBar().count()).toBe(0)
})

test('on a phone the filters fold into one button that counts the active ones', async () => {
  prepareSending(app.api, buildCarts(3))
  const page = await app.open('/carts', { viewport: PHONE })
  const button = page.getByRole('button', { name: /^Filters/ })
  const status = page.getByRole('combobox', { name: 'Status' })
  await button.waitFor()
  await expect.poll(() => status.count()).toBe(0)
  await button.click()
  await status.selectOption('recovered')
  await page.waitForURL('**status=recovered')
  await expect.poll(() => button.textContent()).toBe('Filters1 active')
  await app.waitUntilSettled()
  expect(await app.findViolations()).toEqual([])
})

test('on a phone carts are cards with the same actions, within the page’s width', { tags: ['B2'] }, async () => {
  prepareSending(app.api, buildCarts(10))
  const page = await app.open('/carts', { viewport: PHONE })
  await page.locator('.list-card').first().waitFor()
  await expect.poll(() => page.getByRole('table').count()).toBe(0)
  await page.getByRole('checkbox', { name: 'Select all carts on this page' }).check()
  await findBar().getByText('10 selected').waitFor()
  await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0)
  expect(await app.findViolations()).toEqual([])
  expect(app.api.calls(getCart)).toEqual([])
})
