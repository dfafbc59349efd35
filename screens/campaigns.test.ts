import { randomUUID } from 'node:crypto'
import type { Locator } from 'playwright-core'
import { beforeEach, describe, expect, test } from 'vitest'
import { isFocused, pressTabTo } from '../e2e/keys.ts'
import type { Endpoint } from '../shared/core/endpoint.ts'
import { readMailServer } from '../shared/delivery/mail-server.ts'
import { type CampaignReport, listCampaignRecipients, readCampaignReport } from '../shared/marketing/campaign-report.ts'
import {
  type CampaignView,
  campaignTexts,
  createCampaign,
  deleteCampaign,
  listCampaigns,
  pauseCampaign,
  playCampaign,
  readCampaign,
  saveCampaign,
  sendCampaignNow,
  sendToAbandonedCarts,
} from '../shared/marketing/campaigns.ts'
import { abandonedCustomers } from '../shared/marketing/customers.ts'
import { UNDO_MS } from '../web/core/api/deletions.ts'
import { serveUser } from './account-scene.ts'
import { type Call, fixture } from './api.ts'
import { createScreens, NOW, PHONE } from './app.ts'
import { buildName, recipients, serveRecipients } from './recipients.ts'

// Campaigns: the list, the dialogs that create and send one, and a campaign's page.

const app = createScreens()
const NAME = 'Autumn pots'
/** For long forms on a busy machine. */
const LONG_MS = 120_000
const SUBJECT = 'Still want these pots?'
const IN_THREE_DAYS = new Date(NOW.getTime() + 3 * 86_400_000).toISOString().slice(0, 10)
let campaigns: CampaignView[]

const buildCampaign = (more: Partial<CampaignView> = {}): CampaignView => {
  const id = randomUUID()
  const content = { subject: SUBJECT, body: 'Hi {{ customer_name }}', template: 'custom', coupon: null } as const
  const recorded = fixture(readCampaign).campaign as CampaignView
  const schedule = { ...recorded.schedule, frequency: 'once' } as const
  return { ...recorded, _id: id, id, name: NAME, content, schedule, ...more }
}

const counts = { ...fixture(readCampaign).campaign.counts, planned: 1, sent: 1 }
const report: CampaignReport = {
  counts,
  delivered: 1,
  opened: 0,
  openedByMachines: 0,
  clicked: 0,
  orders: 0,
  revenue: [],
  unsubscribed: 0,
  bounced: 0,
  complained: 0,
  links: [],
  runs: [],
  retryable: 0,
  held: null,
}

beforeEach(() => {
  campaigns = []
  serveRecipients(app.api)
  app.api.answer(readCampaignReport, { report })
  app.api.answer(listCampaignRecipients, { recipients: [], pagination: { page: 1, limit: 50, total: 0, pages: 0 } })
  const change = (id: string, next: Partial<CampaignView>) => {
    campaigns = campaigns.map((each) => (each.id === id ? { ...each, ...next } : each))
    return { success: true as const, campaign: campaigns.find((each) => each.id === id)! } as const
  }
  const add = (campaign: CampaignView) => {
    campaigns = [campaign, ...campaigns]
    return { success: true as const, campaign } as const
  }
  app.api.answer(listCampaigns, () => {
    const total = campaigns.length
    return { campaigns, pagination: { page: 1, limit: 50, total, pages: Math.min(1, total) } }
  })
  app.api.answer(readCampaign, ({ params: { id } }) => ({ campaign: campaigns.find((each) => each.id === id)! }))
  app.api.answer(createCampaign, ({ body: { name, type, targetAudience, content, schedule } }) =>
    add(buildCampaign({ name, type, targetAudience, content, schedule })),
  )
  app.api.answer(saveCampaign, ({ params: { id }, body }) =>
    change(id, 'status' in body ? { status: 'cancelled' } : { name: body.name, content: body.content }),
  )
  app.api.answer(pauseCampaign, ({ params: { id } }) => change(id, { status: 'paused' }))
  app.api.answer(playCampaign, ({ params: { id } }) => change(id, { status: 'scheduled' }))
  app.api.answer(sendCampaignNow, ({ params: { id } }) => change(id, { status: 'sent' }))
  app.api.answer(sendToAbandonedCarts, () => add(buildCampaign({ name: 'Quick Send - Nov 28, 2026', status: 'sent' })))
  app.api.answer(deleteCampaign, ({ params: { id } }) => {
    campaigns = campaigns.filter((each) => each.id !== id)
    return { success: true as const }
  })
})

const findDialog = (name = 'Create New Campaign') => app.page.getByRole('dialog', { name })
const findButton = (name: string, within: Locator = findDialog()) => within.getByRole('button', { name, exact: true })
const findRow = (name = NAME) => app.page.getByRole('row').filter({ hasText: name })
const banner = (text: string) => app.page.getByRole('status').filter({ hasText: text }).first().waitFor()
const press = (action: string) => findButton(`${action} ${NAME}`, findRow()).click()
const listKeys = (endpoint: Endpoint) =>
  app.api.calls(endpoint).map(({ sent }: Call) => sent.headers['idempotency-key'])

async function goToStep(name: string) {
  await findButton('Next').click()
  await findDialog().getByRole('heading', { name, exact: true }).waitFor()
}

test('the empty list explains the next step and offers both actions', { tags: ['A2.1', 'B2'] }, async () => {
  await app.open('/campaigns')
  await app.page.getByRole('heading', { level: 1, name: 'Email Campaigns' }).waitFor()
  await app.page.getByText('Manage your email campaigns and track their performance.').waitFor()
  await app.page.getByText('No active campaigns found. Create a new campaign to get started.').waitFor()
  for (const name of ['Send to All', 'New Campaign', 'Send to All Abandoned Carts', 'Create Campaign'])
    await findButton(name, app.page.locator('body')).waitFor()
  expect(await app.findViolations()).toEqual([])
})

test('its dialogs ask for a confirmed address first, except with an own mail server', async () => {
  serveUser(app.api, { isEmailConfirmed: false })
  const toCreate = () => app.page.getByText('Confirm your email address to create a campaign.')
  await app.open('/campaigns?form=new')
  await toCreate().waitFor()
  await app.open('/campaigns?form=all')
  await app.page.getByText('Confirm your email address to send messages.').waitFor()
  app.api.alter(readMailServer, (reply) => ({ ...reply, way: 'own' as const }))
  await app.open('/campaigns?form=new')
  await findDialog().waitFor()
  await app.waitUntilSettled()
  await expect.poll(() => toCreate().count()).toBe(0)
})

test.each([
  ['in its own words', { error: 'In its own words.', code: 'unprocessable' }, 422, 'In its own words.'],
  ['without words', { error: 'x', code: 'internal' }, 500, 'Failed to fetch campaigns. Please try again later.'],
] as const)('a list the server refuses %s can be retried', { tags: ['B2', 'B8'] }, async (_, error, status, text) => {
  app.api.fail(listCampaigns, status, error)
  await app.open('/campaigns')
  await app.page.getByText('Failed to load campaigns', { exact: true }).waitFor()
  await app.page.getByText(text, { exact: true }).waitFor()
  await app.page.getByRole('button', { name: 'Retry' }).hover()
  // A live event may trigger a refetch, so wait for the button.
  await app.page.mouse.down()
  app.api.answer(listCampaigns, {
    campaigns: [buildCampaign()],
    pagination: { page: 1, limit: 50, total: 1, pages: 1 },
  })
  await app.page.mouse.up()
  await findRow().waitFor()
})

describe('the form of a campaign', () => {
  test('has four steps, refuses incomplete input, and creates the campaign for the chosen customer', {
    tags: ['B2', 'B4', 'B5'],
    timeout: LONG_MS,
  }, async () => {
    const [chosen] = recipients
    await app.open('/campaigns')
    await app.page.getByRole('button', { name: 'Create Campaign', exact: true }).click()
    await expect
      .poll(async () => [await findButton('Previous').isDisabled(), await findButton('Next').isDisabled()])
      .toEqual([true, true])
    await expect.poll(() => findDialog().getByRole('radio', { name: 'Push' }).isDisabled()).toBe(false)
    await findDialog().getByText('To shoppers who have allowed notifications in your shop.').waitFor()
    await findDialog().getByLabel('Campaign name').fill(NAME)
    await goToStep('Target Audience')
    await findDialog().getByRole('checkbox').first().waitFor()
    await goToStep('Email Template')
    await findDialog().getByLabel('Subject').fill(SUBJECT)
    const text = findDialog().getByLabel('Text', { exact: true })
    await text.fill('Hi {{ customer_name }}, {{ nonsense }}')
    await findDialog().getByText('There is no variable nonsense. Select one of those below.').waitFor()
    await text.fill('Hi {{ customer_name }}, they are still here.')
    await findDialog().getByText('Preview', { exact: true }).click()
    await findDialog().getByRole('region', { name: 'Preview' }).getByText(SUBJECT).waitFor()
    expect(await app.findViolations('[role=dialog]')).toEqual([])
    await goToStep('Schedule & Send')
    // Today's 10:00 has passed, so it would be sent now.
    await expect.poll(() => findDialog().getByLabel('Start date').count()).toBe(0)
    await findDialog().getByText('Schedule', { exact: true }).click()
    await findDialog().getByLabel('Start date').fill('2020-01-01')
    await findButton('Create Campaign').click()
    await findDialog().getByText('Please select at least one customer to send the campaign to.').waitFor()
    await findDialog().getByRole('searchbox').fill(chosen!.customer_email!)
    await findDialog().getByRole('searchbox').press('Enter')
    await findDialog()
      .getByRole('checkbox', { name: buildName(chosen!), exact: true })
      .check()
    await findDialog().getByText('1 customer selected').waitFor()
    await findDialog().getByText('1 customer, 1 would get it now.').waitFor()
    await goToStep('Email Template')
    await goToStep('Schedule & Send')
    await findButton('Create Campaign').click()
    await findDialog().getByText('Start date cannot be before today').waitFor()
    expect(app.api.calls(createCampaign)).toEqual([])
    await findDialog().getByLabel('Start date').fill(IN_THREE_DAYS)
    await findDialog()
      .getByText(/^Runs once on /)
      .waitFor()
    await findButton('Create Campaign').click()
    await banner('Campaign created.')
    await findDialog().waitFor({ state: 'detached' })
    await findRow().getByText('Scheduled').waitFor()
    await expect
      .poll(() => app.api.calls(createCampaign).map(({ body }) => body))
      .toMatchObject([
        {
          name: NAME,
          type: 'email',
          sendNow: false,
          targetAudience: { type: 'abandoned_carts', mode: 'selected', customerEmails: [chosen!.customer_email] },
          content: { subject: SUBJECT, body: 'Hi {{ customer_name }}, they are still here.' },
          schedule: { startDate: IN_THREE_DAYS, timeOfDay: '10:00', frequency: 'once' },
        },
      ])
    await expect.poll(() => listKeys(createCampaign)).toEqual([expect.any(String)])
  })

  test('shows the text of B 8 if there are no abandoned carts', { tags: ['B8'] }, async () => {
    app.api.answer(abandonedCustomers, { customers: [], next: null, total: 0 })
    await app.open('/campaigns')
    await app.page.getByRole('button', { name: 'Create Campaign', exact: true }).click()
    await findDialog().getByLabel('Campaign name').fill(NAME)
    await goToStep('Target Audience')
    await findDialog().getByText('No abandoned carts found.').waitFor()
  })

  test('is filled in by keyboard alone', { timeout: LONG_MS }, async () => {
    const key = (name: string) => app.page.keyboard.press(name)
    const next = async (title: string) => {
      await pressTabTo(findButton('Next'))
      await key('Enter')
      await expect.poll(() => isFocused(findDialog().getByRole('heading', { name: title, exact: true }))).toBe(true)
    }
    await app.open('/campaigns')
    await pressTabTo(app.page.getByRole('button', { name: 'New Campaign', exact: true }))
    await key('Enter')
    await expect.poll(() => isFocused(findDialog().getByLabel('Campaign name'))).toBe(true)
    await app.page.keyboard.type(NAME)
    await next('Target Audience')
    await pressTabTo(findDialog().getByRole('radio', { name: 'Select manually' }))
    await key('ArrowRight')
    await findDialog().getByText(`${recipients.length} customers, ${recipients.length} would get it now.`).waitFor()
    await next('Email Template')
    await pressTabTo(findDialog().getByLabel('Template'))
    await pressTabTo(findDialog().getByLabel('Subject'))
    await key('ControlOrMeta+a')
    await app.page.keyboard.type('Hello ')
    await pressTabTo(findDialog().getByRole('button', { name: 'customer_name', exact: true }))
    await key('Enter')
    await expect.poll(() => findDialog().getByLabel('Subject').inputValue()).toBe('Hello {{ customer_name }}')
    await pressTabTo(findDialog().getByRole('radio', { name: 'Edit' }), 'Shift+Tab')
    await key('ArrowRight')
    await findDialog().getByRole('region', { name: 'Preview' }).getByText('Hello Olivia').waitFor()
    await next('Schedule & Send')
    await pressTabTo(findDialog().getByRole('radio', { name: 'Send now' }))
    await key('ArrowRight')
    await pressTabTo(findDialog().getByLabel('Start date'))
    const [year, month, day] = IN_THREE_DAYS.split('-')
    await app.page.keyboard.type(`${month}${day}${year}`)
    await findDialog()
      .getByText(/^Runs once on /)
      .waitFor()
    await pressTabTo(findButton('Create Campaign'))
    await key('Enter')
    await banner('Campaign created.')
    await findDialog().waitFor({ state: 'detached' })
    await expect
      .poll(() => app.api.calls(createCampaign)[0]!.body)
      .toMatchObject({
        name: NAME,
        content: { subject: 'Hello {{ customer_name }}' },
        targetAudience: { mode: 'matching' },
        schedule: { startDate: IN_THREE_DAYS },
      })
  })

  test('confirms before Back discards it', async () => {
    await app.open('/campaigns')
    await app.page.getByRole('button', { name: 'New Campaign' }).click()
    await findDialog().getByLabel('Campaign name').fill('Not to be lost')
    await app.page.goBack()
    const question = findDialog('Leave without saving?')
    await findButton('Cancel', question).click()
    await question.waitFor({ state: 'detached' })
    await expect.poll(() => findDialog().getByLabel('Campaign name').inputValue()).toBe('Not to be lost')
    await app.page.goBack()
    await findButton('Leave', question).click()
    await findDialog().waitFor({ state: 'detached' })
  })
})

describe('a row of the list', () => {
  test('has the columns of the specification, and optional ones', { tags: ['B2'] }, async () => {
    campaigns = [buildCampaign()]
    await app.open('/campaigns')
    const listHeadings = () => app.page.getByRole('columnheader').allInnerTexts()
    const all = ['Campaign', 'Status', 'Created', 'Audience', 'Sent', 'Revenue', 'Next run', 'Action']
    await expect.poll(listHeadings).toEqual(all)
    expect(await app.findViolations()).toEqual([])
    await app.page.getByRole('button', { name: 'Columns' }).click()
    for (const name of all.slice(3, 7)) await app.page.getByRole('checkbox', { name }).uncheck()
    await expect.poll(() => listHeadings()).toEqual(['Campaign', 'Status', 'Created', 'Action'])
    await app.page.getByRole('button', { name: 'Standard columns' }).click()
    await expect.poll(listHeadings).toEqual(all)
  })

  test.each([
    ['scheduled', ['Edit', 'Pause', 'Send Now', 'Cancel']],
    ['paused', ['Play', 'Send Now', 'Cancel']],
    ['active', ['Edit', 'Pause', 'Delete', 'Send']],
    ['sent', ['Edit', 'Play', 'Delete', 'Send']],
  ] as const)('offers the actions of B 4 for a %s campaign', { tags: ['B4'] }, async (status, actions) => {
    campaigns = [buildCampaign({ status })]
    await app.open('/campaigns')
    const all = findRow().locator('td').last().locator('button, a')
    await expect
      .poll(() => all.evaluateAll((each) => each.map((one) => one.getAttribute('aria-label'))))
      .toEqual(actions.map((action) => `${action} ${NAME}`))
  })

  test('reports its actions with the texts of B 8, and confirms those that need it', {
    tags: ['B2', 'B4', 'B8'],
  }, async () => {
    campaigns = [buildCampaign()]
    await app.open('/campaigns')
    for (const [action, text, status, question, answer] of [
      ['Pause', 'Campaign paused.', 'Paused'],
      ['Play', 'Campaign resumed.', 'Scheduled'],
      ['Cancel', 'Campaign cancelled.', 'Cancelled', `Cancel ${NAME}?`, 'Cancel campaign'],
      ['Play', 'Campaign resumed.', 'Scheduled', `Start ${NAME} again?`, 'Start again'],
      ['Send Now', 'Campaign sent immediately.', 'Sent', `Send ${NAME} now?`, 'Send'],
    ] as const) {
      await press(action)
      if (question) await findButton(answer, findDialog(question)).click()
      await banner(text)
      await findRow().getByText(status, { exact: true }).waitFor()
      await app.page.getByRole('button', { name: 'Dismiss' }).click()
    }
    await press('Delete')
    const question = findDialog(`Delete ${NAME}?`)
    await question.getByText('Are you sure you want to delete this campaign?').waitFor()
    await findButton('Cancel', question).click()
    await question.waitFor({ state: 'detached' })
    expect(app.api.calls(deleteCampaign)).toEqual([])
    await press('Delete')
    await findButton('Delete', question).click()
    await banner('Campaign deleted.')
    await findRow().waitFor({ state: 'detached' })
  })

  test.each([
    ['scheduled', 'Pause', 'Failed to pause campaign.', pauseCampaign],
    ['scheduled', 'Cancel', 'Failed to cancel campaign.', saveCampaign, `Cancel ${NAME}?`, 'Cancel campaign'],
    ['scheduled', 'Send Now', 'Failed to send campaign now.', sendCampaignNow, `Send ${NAME} now?`, 'Send'],
    ['sent', 'Play', 'Failed to resume campaign.', playCampaign, `Start ${NAME} again?`, 'Start again'],
    ['sent', 'Delete', 'Failed to delete campaign.', deleteCampaign, `Delete ${NAME}?`, 'Delete'],
  ] as const)(
    'of a %s campaign reports with the text of B 8 that “%s” failed',
    { tags: ['B8'] },
    async (status, action, text, endpoint, question?, answer?) => {
      campaigns = [buildCampaign({ status })]
      app.api.fail(endpoint, 500, { error: 'x', code: 'internal' })
      await app.open('/campaigns')
      await press(action)
      if (question && answer) await findButton(answer, findDialog(question)).click()
      await app.page.getByText(text, { exact: true }).waitFor()
      expect(campaigns.map((each) => each.status)).toEqual([status])
    },
  )

  describe('deleting', () => {
    const deleteIt = async () => {
      await press('Delete')
      await findButton('Delete', findDialog(`Delete ${NAME}?`)).click()
      await findRow().waitFor({ state: 'detached' })
    }
    const undo = () => app.page.getByRole('button', { name: 'Undo', exact: true })

    test('restores the campaign without a request when it is undone', async () => {
      campaigns = [buildCampaign({ status: 'sent' })]
      await app.open('/campaigns')
      await deleteIt()
      await undo().click()
      await findRow().waitFor()
      await app.page.getByText(campaignTexts.deleted).waitFor({ state: 'detached' })
      await app.page.waitForTimeout(UNDO_MS)
      expect(app.api.calls(deleteCampaign)).toEqual([])
    })

    test('sends the request when the offer to undo ends', async () => {
      campaigns = [buildCampaign({ status: 'sent' })]
      await app.open('/campaigns')
      await deleteIt()
      expect(app.api.calls(deleteCampaign)).toEqual([])
      await expect.poll(() => campaigns, { timeout: UNDO_MS + 10_000 }).toEqual([])
      await undo().waitFor({ state: 'detached' })
      await banner(campaignTexts.deleted)
    })

    test('on the campaign’s page opens the list, and is sent at once when that is left', async () => {
      campaigns = [buildCampaign({ status: 'sent' })]
      await app.open(`/campaigns/${campaigns[0]!.id}`)
      await app.page.getByRole('button', { name: `Delete ${NAME}` }).click()
      await findButton('Delete', findDialog(`Delete ${NAME}?`)).click()
      await undo().waitFor()
      expect(app.api.calls(deleteCampaign)).toEqual([])
      await app.page.goto(`${app.url}/blank`)
      await expect.poll(() => campaigns).toEqual([])
    })

    test('stops an active campaign at once, without undo', async () => {
      campaigns = [buildCampaign({ status: 'active' })]
      await app.open('/campaigns')
      await deleteIt()
      expect(campaigns).toEqual([])
      await banner(campaignTexts.deleted)
      await expect.poll(() => undo().count()).toBe(0)
    })
  })

  test('sends a campaign once when “Send” is double-clicked', async () => {
    campaigns = [buildCampaign()]
    const held = app.api.hold(sendCampaignNow)
    await app.open('/campaigns')
    await press('Send Now')
    await findButton('Send', findDialog(`Send ${NAME} now?`)).dblclick()
    held.release()
    await banner(campaignTexts.sentNow)
    await expect.poll(() => listKeys(sendCampaignNow)).toEqual([expect.any(String)])
  })
})

describe('“Send to All”', () => {
  const form = () => findDialog('Send to All Abandoned Carts')
  const question = () => app.page.getByRole('dialog', { name: `Send to ${recipients.length} people now?` })
  const confirm = () => findButton(`Send to ${recipients.length} people`, question()).click()
  const open = async () => {
    await app.open('/campaigns')
    await app.page.getByRole('button', { name: 'Send to All', exact: true }).click()
    await expect.poll(() => form().getByLabel('Subject').inputValue()).not.toBe('')
  }

  test('needs a subject, a text and the promised coupon, and sends after a confirmation', {
    tags: ['B2', 'B5', 'B8'],
  }, async () => {
    await open()
    await form().getByText(`${recipients.length} customers, ${recipients.length} would get it now.`).waitFor()
    const template = form().getByLabel('Template')
    await expect.poll(() => template.getByRole('option').allInnerTexts()).toHaveLength(3)
    await template.selectOption('discount')
    await form().getByText('This text mentions a discount').waitFor()
    await form().getByText(campaignTexts.noOffer).waitFor()
    await expect.poll(() => findButton('Send to All', form()).isDisabled()).toBe(true)
    await template.selectOption('urgency')
    await expect.poll(() => form().getByLabel('Subject').inputValue()).toBe('Your cart will not wait forever')
    expect(await app.findViolations('[role=dialog]')).toEqual([])
    await form().getByLabel('Subject').fill(' ')
    await findButton('Send to All', form()).click()
    await form().getByText('Please fill in both subject and message').waitFor()
    await form().getByLabel('Subject').fill('For everybody')
    await findButton('Send to All', form()).click()
    await question().waitFor()
    expect(app.api.calls(sendToAbandonedCarts)).toEqual([])
    await confirm()
    await banner('Campaign sent successfully!')
    await findRow('Quick Send - ').waitFor()
    await expect
      .poll(() => app.api.calls(sendToAbandonedCarts).map(({ body }) => body))
      .toMatchObject([{ subject: 'For everybody', template: 'urgency' }])
  })

  test('reports a failure with the text of B 8, and retries under the same key', { tags: ['B8'] }, async () => {
    app.api.fail(sendToAbandonedCarts, 500, { error: 'x', code: 'internal' })
    await open()
    for (const times of [1, 2]) {
      await findButton('Send to All', form()).click()
      await confirm()
      await form().getByText('Failed to send campaign. Please try again.').waitFor()
      await expect.poll(() => listKeys(sendToAbandonedCarts).length).toBe(times)
    }
    const [first, second] = listKeys(sendToAbandonedCarts)
    expect(first).toEqual(expect.any(String))
    expect(second).toBe(first)
  })
})

describe('the page of a campaign', () => {
  const findTabs = () => app.page.getByRole('navigation', { name: 'Campaign' })

  beforeEach(() => {
    const [chosen] = recipients
    const targetAudience = {
      ...buildCampaign().targetAudience,
      mode: 'selected',
      customerEmails: [chosen!.customer_email!],
    }
    campaigns = [
      buildCampaign({ status: 'sent', counts, targetAudience: targetAudience as CampaignView['targetAudience'] }),
    ]
  })

  test('saves a change, shows the report, and duplicates the campaign', {
    tags: ['A2.1', 'B2'],
    timeout: LONG_MS,
  }, async () => {
    await app.open('/campaigns')
    await app.page.getByRole('link', { name: `Edit ${NAME}` }).click()
    await app.page.waitForURL('**/campaigns/*')
    await app.page.getByLabel('Campaign name').fill('Winter pots')
    await findButton('Save', app.page.locator('body')).click()
    await app.page.getByRole('heading', { level: 1, name: 'Winter pots' }).waitFor()
    await expect
      .poll(() => app.api.calls(saveCampaign).map(({ body }) => body))
      .toMatchObject([{ name: 'Winter pots' }])
    await expect
      .poll(() => findTabs().getByRole('link').allInnerTexts())
      .toEqual(['Campaign Details', 'Target Audience', 'Email Template', 'Schedule & Send', 'Report'])
    await findTabs().getByRole('link', { name: 'Report' }).click()
    await app.page.getByRole('img', { name: '1 scheduled: sent 1' }).waitFor()
    expect(await app.findViolations()).toEqual([])
    await app.page.getByRole('button', { name: 'Duplicate' }).click()
    const name = findDialog().getByLabel('Campaign name')
    await expect.poll(() => name.inputValue()).toBe('Copy of Winter pots')
    await name.fill('Another')
    await findButton('Cancel').click()
    await findButton('Discard', findDialog('Discard this campaign?')).click()
    await findDialog().waitFor({ state: 'detached' })
    await app.page.getByRole('button', { name: 'Duplicate' }).click()
    await expect.poll(() => name.inputValue()).toBe('Copy of Winter pots')
    await name.fill('Another')
    await goToStep('Target Audience')
    await findDialog().getByText('1 customer selected').waitFor()
    await goToStep('Email Template')
    await expect.poll(() => findDialog().getByLabel('Subject').inputValue()).toBe(SUBJECT)
    await goToStep('Schedule & Send')
    await findDialog().getByLabel('Start date').fill(IN_THREE_DAYS)
    await findButton('Create Campaign').click()
    await app.page.getByRole('heading', { level: 1, name: 'Another' }).waitFor()
    expect(campaigns.map((each) => each.name)).toEqual(['Another', 'Winter pots'])
  })

  test('scrolls the current tab into view on a phone', async () => {
    await app.open(`/campaigns/${campaigns[0]!.id}?tab=report`, { viewport: PHONE })
    const current = findTabs().getByRole('link', { name: 'Report' })
    await current.waitFor()
    const isInSight = async () => {
      const [all, tab] = [(await findTabs().boundingBox())!, (await current.boundingBox())!]
      return tab.x >= all.x && tab.x + tab.width <= all.x + all.width + 1
    }
    await expect.poll(isInSight).toBe(true)
  })
})

test('the dashboard lists the campaigns, each with a link to its page', { tags: ['A2.3', 'A9'] }, async () => {
  campaigns = [buildCampaign({ status: 'active' })]
  await app.open('/dashboard')
  await app.page.getByRole('region', { name: 'Active Campaigns' }).getByRole('link', { name: NAME }).click()
  await app.page.waitForURL(`**/campaigns/${campaigns[0]!.id}*`)
  await app.page.getByRole('heading', { level: 1, name: NAME }).waitFor()
})
